"""What users call: gradients, products with Jacobians and Hessians, lanes, combinators, capsules."""
