// A comment in which a formatter joined a mark to the sentence. EXIT: 0
int main(void) {}
