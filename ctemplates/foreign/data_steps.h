/* Steps performed by the function of their record, called directly. */
#ifndef CK_DATA_STEPS_H
#define CK_DATA_STEPS_H

#include "tasks/task.h"

/* Performs a step by a function of its plan; false: nothing has been done. */
bool data_step(Task *task, const Step *step);

#endif
