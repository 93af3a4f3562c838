/* Asks Python for code that a machine lacks: see code.h. */
#include "bridge/guard.h"

#include "memory/exceptions.h"
#include "operators/code.h"

typedef struct Request {
    void *helper;
    const Block *block;
    Form form;
    bool made;
} Request;

static void make_code(void *arguments) {
    Request *request = arguments;
    PyObject *answer = PyObject_CallMethod(request->helper, "make_code", "Oi", (PyObject *)request->block->python,
                                           (int)request->form);
    request->made = answer != NULL;
    Py_XDECREF(answer);
    forget_exception();
}

static void clean_nothing(void *arguments) { (void)arguments; }

bool foreign_make_code(Heap *heap, void *helper, const Block *block, Form form) {
    Request request = {.helper = helper, .block = block, .form = form};
    if (helper) guarded(heap, make_code, clean_nothing, &request);
    return request.made;
}
