"""Every layer of torch.nn with sample arguments, tried in programs."""
