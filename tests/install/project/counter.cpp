int counter;

void count() { counter++; }
