// SPDX-License-Identifier: MIT
/* The picture of `usermm top` on a terminal, by ncursesw. */
#include "show/top.h"

#ifndef INSPECT_NCURSES
bool top_screen(struct top *top, enum inspect_status *status, char error[INSPECT_TEXT_BYTES])
{
	(void)top, (void)status, (void)error;
	return false;
}
#else
#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "watch/stop.h"

/* The letter of a key chooses an order, as slabtop's do. */
static const struct {
	int key;
	enum cache_order order;
} keys[] = {
	{ 'b', ORDER_BYTES }, { 'o', ORDER_OBJECTS }, { 'a', ORDER_ACTIVE }, { 'w', ORDER_WASTE },
	{ 's', ORDER_SIZE }, { 'l', ORDER_SLABS }, { 'n', ORDER_NAME }, { 'c', ORDER_CHANGE },
};

/* False if the user wants to end. */
static bool take_key(struct top *top, int key)
{
	if (key == 'q' || key == 'Q')
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].key == key)
			top->order = keys[i].order;
	return true;
}

static void show_lines(const struct top *top, const struct top_lines *lines)
{
	int rows = LINES - 1;

	erase();
	for (int i = 0; i < rows && (size_t)i < lines->nr; i++) {
		if ((size_t)i == lines->head)
			attron(A_REVERSE);
		mvprintw(i, 0, "%-*.*s", COLS, COLS, lines->lines[i]);
		attroff(A_REVERSE);
	}
	if (top->target)
		mvprintw(rows, 0, "%.*s", COLS - 1, "order: b)ytes o)bjects a)ctive w)aste s)ize "
			 "s(l)abs n)ame c)hange; q)uit");
	else
		mvprintw(rows, 0, "q)uit; `usermm top PID` shows one");
	refresh();
}

bool top_screen(struct top *top, enum inspect_status *status, char error[INSPECT_TEXT_BYTES])
{
	struct pollfd keyboard = { .fd = STDIN_FILENO, .events = POLLIN };
	struct top_lines lines = { 0 };
	SCREEN *screen;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return false;
	setlocale(LC_ALL, "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	cbreak();
	noecho();
	curs_set(0);
	timeout(0);
	for (long round = 1;; round++) {
		*status = top_draw(top, &lines, NULL, error);
		if (*status != INSPECT_OK)
			break;
		show_lines(top, &lines);
		stop_poll(&keyboard, 1, top->delay_seconds);
		if (!take_key(top, getch()) || round == top->rounds || stopped())
			break;
	}
	endwin();
	delscreen(screen);
	free(lines.lines);
	return true;
}
#endif
