/* Performs steps by the function of their record, called directly: see checkpoint/ctarget/plans.py.
 *
 * In: a step whose operands are not duals. Out: the same result as hybrid's. Exceptions of the function, and all other
 * steps, are left to the helper.
 */
#include "foreign/data_steps.h"

#include "bridge/passage_export.h"
#include "bridge/passage_import.h"
#include "memory/exceptions.h"
#include "tasks/plans.h"

/* Returns whether an operand is data: arrays, and numbers with derivatives, have other functions. */
static bool is_data(const ArrayClasses *c, PyObject *python) {
    const PyTypeObject *type = Py_TYPE(python);
    return type != c->array && type != c->discrete && type != classes()->dual && type != c->node;
}

/* Returns the Python object of an operand, borrowed; NULL: it is a value of C. */
static PyObject *python_of(const Machine *m, const Operand *operand) {
    if (operand->at == NO_REGISTER) return m->block->counted_constants[operand->constant];
    const Value v = m->registers[operand->at];
    return kind_of(v) == FOREIGN ? ((Foreign *)v.object)->python : NULL;
}

static bool is_dual(const Machine *m, const Operand *operand) {
    return operand->at != NO_REGISTER && kind_of(m->registers[operand->at]) == DUAL;
}

static PyObject *exported(Task *task, const Operand *operand) {
    const Block *block = task->m->block;
    if (operand->at != NO_REGISTER) return export_value(&task->x, task->m->registers[operand->at], false);
    PyObject *constant = block->counted_constants[operand->constant];
    return constant ? Py_NewRef(constant) : export_value(&task->x, block->constants[operand->constant], false);
}

/* Adds the machine, updated to the current step, and the step's operands to the call. */
static bool add_operands(Task *task, const Step *step, PyObject *machine) {
    Call *call = &task->call;
    call_begin(call, machine);
    for (uint32_t i = 0; i < step->count; i++) {
        call_add(call, exported(task, &step->operands[i]));
        if (!call->operands[i + 1]) return false;
    }
    return export_rest(&task->x);
}

static bool set_integer(PyObject *object, Py_ssize_t offset, int64_t i) {
    PyObject *integer = PyLong_FromLongLong(i);
    if (integer) Py_XSETREF(*slot_of(object, offset), integer);
    return integer != NULL;
}

static bool set_moment(const ArrayClasses *c, const Machine *m, PyObject *machine) {
    return set_integer(machine, c->machine_steps, m->steps) && set_integer(machine, c->machine_births, m->births) &&
           set_integer(machine, c->machine_tags, m->tags);
}

/* Takes the value; a taped function has returned a pair: also the origin and its bytes. */
static bool take_result(Task *task, const ArrayClasses *c, PyObject *machine, bool pair, int64_t bytes) {
    Machine *m = task->m;
    PyObject *value = pair ? PyTuple_GET_ITEM(task->answer, 0) : task->answer;
    PyObject *origin = pair ? PyTuple_GET_ITEM(task->answer, 1) : Py_None;
    task->x.done = task->x.count; /* all exported objects are filled in */
    const Value made = import_value(&task->x, value);
    if (!import_rest(&task->x) || !take_content(task)) return false;
    add_origin(task, origin, bytes, (int32_t)task->step);
    m->births = PyLong_AsLongLong(*slot_of(machine, c->machine_births));
    task->value = made;
    if (task->x.side.registers > m->window) machine_reserve(m, task->x.side.registers);
    task->outcome = STOPPED;
    return true;
}

static int64_t bytes_of(const ArrayClasses *c, PyObject *tape) {
    return tape == Py_None ? 0 : PyLong_AsLongLong(*slot_of(tape, c->tape_bytes));
}

/* Returns the function that performs a step, and stores whether it returns a pair. NULL: only the helper can tell. */
static PyObject *function_of(const ArrayClasses *c, const Task *task, const Step *step, bool taped, bool *pair) {
    PyObject *plan = plan_of_step(c, task), *found;
    if (!plan || step->count >= MOST_IN_CALL) return NULL; /* the machine is the first */
    bool data = *slot_of(plan, c->plan_plain) != Py_None;
    for (uint32_t i = 0; i < step->count; i++) {
        PyObject *python = python_of(task->m, &step->operands[i]);
        if (is_dual(task->m, &step->operands[i])) return NULL;
        data &= !python || is_data(c, python);
    }
    *pair = taped;
    if (!data) {
        found = *slot_of(plan, taped ? c->plan_on_tape : c->plan_on_arrays);
    } else {
        found = taped ? *slot_of(plan, c->plan_taped) : Py_None;
        *pair = found != Py_None;
        if (!*pair) found = *slot_of(plan, c->plan_plain);
    }
    return found == Py_None ? NULL : found;
}

bool data_step(Task *task, const Step *step) {
    const ArrayClasses *c = array_classes();
    PyObject *machine = c ? machine_of(task->m) : NULL;
    if (!machine || !Py_IS_TYPE(machine, c->machine)) {
        forget_exception();
        return false;
    }
    PyObject *tape = *slot_of(machine, c->machine_tape);
    bool pair;
    PyObject *function = function_of(c, task, step, tape != Py_None, &pair);
    if (!function) {
        forget_exception();
        return false;
    }
    const int64_t before = bytes_of(c, tape);
    if (add_operands(task, step, machine) && set_moment(c, task->m, machine)) {
        task->answer = PyObject_Vectorcall(function, task->call.operands, task->call.count, NULL);
        call_end(&task->call);
        if (task->answer == Py_NotImplemented) {
            Py_CLEAR(task->answer);
            return false;
        }
        if (!task->answer) {
            refuse_step(task, step);
            return true;
        }
        if (take_result(task, c, machine, pair, bytes_of(c, tape) - before)) return true;
    }
    report_error(task->m->helper);
    return true;
}
