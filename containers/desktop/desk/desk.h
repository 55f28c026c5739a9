// What the parts of desk share: the display, the people it talks to, and the growing reply.
#pragma once
#include <X11/Xlib.h>
#include <X11/extensions/Xdamage.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MAX_MODULES = 128, MAX_REQUEST = 1 << 20, MAX_MODULE_ANSWER = 2 << 20, MANAGER_PATIENCE_MS = 20 };

struct buffer {
    char *bytes;
    size_t length;
    size_t room;
};

// A module in an application: its answer to the question with the serial that was sent last, as far as it has come.
struct module {
    int fd;
    pid_t pid;
    uint32_t serial;
    uint32_t asked;  // serial of the last question that was sent to it
    bool has_answered;
    bool is_silent;  // has let a question's whole time pass, and said nothing since
    int num_shown;  // windows, as it said last; -1 where it has not said
    int timer_ms;   // until its next timer that counts, -1 for none
    int may_hurry;    // whether that one can be brought forward
    int num_ticking;  // timers that fire over and over
    bool is_hurried;  // its next timer shall fire with the next question, in place of being waited for
    struct buffer incoming;
    struct buffer answer;
};

struct desk {
    const char *folder;
    int width;
    int height;
    Display *display;
    Window root;
    Damage damage;
    int damage_event;
    uint64_t num_damaged;
    int64_t damaged_at_ms;
    int module_listener;
    struct module modules[MAX_MODULES];
    int num_modules;
    uint32_t serial;
    char display_name[32];
    char bus_address[256];
    pid_t server;
    pid_t bus;
    pid_t window_manager;
    pid_t bridge;
    bool manager_has_answered;
    _Atomic int64_t *ahead_ms;  // by how much the X server's clock is ahead
    int64_t settle_until_ms;  // what all settling of a request may take together
};

// buffer.c
void buffer_add(struct buffer *buffer, const void *bytes, size_t length);
__attribute__((format(printf, 2, 3))) void buffer_print(struct buffer *buffer, const char *format, ...);
// One line of a foreign text: tabs, newlines and control characters become spaces.
void buffer_add_line(struct buffer *buffer, const char *text, size_t length);
// A code point as UTF-8.
void buffer_add_letter(struct buffer *buffer, uint32_t letter);
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);
int64_t now_ms(void);

// session.c
// Starts the X server, the bus and the window manager; ends this program with a message where one does not come.
void session_start(struct desk *desk);
// Starts a program of the session; its output goes to a log in desk's folder. The process id, -1 for none.
pid_t session_run(struct desk *desk, char *const argv[]);
// Starts the program that speaks for windows without a module, once there is such a window.
void session_bridge(struct desk *desk);

// clock.c
// Makes the file by which the X server's clock is set forward, and has its library loaded by what is started next.
void clock_prepare(struct desk *desk);
// Sets it forward: for a menu that is open, that much time has passed.
void clock_forward(struct desk *desk, int64_t milliseconds);

// watch.c
// Takes what the X server, the modules and new modules have sent, waiting at most so long for the first of it.
void watch_wait(struct desk *desk, int timeout_ms);
void watch_drain(struct desk *desk);

// manager.c
void manager_prepare(struct desk *desk);
void manager_ask(struct desk *desk);
void manager_forget(void);
// Asks, and waits for the answer; false where none came in time. It must be listening: each question is answered once.
bool manager_answers(struct desk *desk, int64_t deadline_ms);
// The same for one that may not listen yet: earlier questions are forgotten.
bool manager_wait(struct desk *desk, int64_t deadline_ms);
void manager_hear(struct desk *desk, const XPropertyEvent *event);
bool manager_is_there(struct desk *desk);

// modules.c
void modules_listen(struct desk *desk);
void modules_accept(struct desk *desk);
// Reads what a module sent; false where it is gone, or has sent more than an answer may hold.
bool module_read(struct module *module);
void module_drop(struct desk *desk, int index);
// Asks all modules, and with a question about calm the window manager after them, as what an application has just asked of
// it is done once that answers. Waits until all have answered or the time is over; false then. Modules that are to hurry let
// their next timer fire before they answer.
bool modules_ask(struct desk *desk, char what, int64_t deadline_ms);
struct module *module_of(struct desk *desk, pid_t pid);
// How many modules say nothing any more; they are waited for a moment only.
int modules_silent(const struct desk *desk);

// settle.c
struct settling {
    int cap_ms;
    int horizon_ms;
    int quiet_ms;
};
void settle(struct desk *desk, struct settling how, struct buffer *reply);

// input.c
void input_move(struct desk *desk, int x, int y);
void input_button(struct desk *desk, unsigned button, bool is_down);
bool input_key(struct desk *desk, const char *name, bool is_down);
bool input_knows(const char *name);
void input_release_all(struct desk *desk);
// The next press begins a series of its own: it makes no double click with the last one.
void input_end_series(void);
// Notes which keys are spare, before any application can say otherwise.
void keyboard_read(struct desk *desk);
// Types code points; letters that the keyboard lacks get spare keys, as many at a time as there are.
void type_text(struct desk *desk, const uint32_t *letters, size_t count);
// The key of a symbol, given to a spare one where the keyboard lacks it; 0 where none is left.
KeyCode key_for(struct desk *desk, KeySym symbol, bool *needs_shift);

// windows.c
void windows_write(struct desk *desk, struct buffer *reply);
int windows_unseen(struct desk *desk);
bool windows_have_menu_beside(struct desk *desk, int x, int y);
void state_write(struct desk *desk, struct buffer *reply);
void *property(Display *display, Window window, const char *name, unsigned long *count);

// clipboard.c
void clipboard_own(struct desk *desk, const uint32_t *letters, size_t count);
void clipboard_give(struct desk *desk, const XSelectionRequestEvent *request);
void clipboard_write(struct desk *desk, struct buffer *reply);

// screen.c
struct shot {
    int x;
    int y;
    int width;
    int height;
    bool has_pointer;
    bool is_wanted_anew;
};
bool screen_write(struct desk *desk, struct shot shot, struct buffer *reply);

// young.c
// Whether a program of the session began so lately that its window or its output may still come.
bool session_is_young(struct desk *desk);

// request.c
// Carries a request's lines out in order, after all were found well formed; its reply is a block for each that says something.
void request_serve(struct desk *desk, char *text, struct buffer *reply);
