/* The executable: one run of a program. */
#ifndef CK_MAIN_H
#define CK_MAIN_H

int main(int count, char **arguments);

#endif
