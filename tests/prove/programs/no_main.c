// Functions of a library: any of them may run in any thread.
// VERDICT: pairs
int counter;
static int hidden;
void first(void) {
  counter++; // RACE
}
void second(void) {
  hidden++; // RACE
}
