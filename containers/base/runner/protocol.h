// What the runner and its host say to each other; agentgym/sandbox/runner/protocol.py holds the same numbers.
//
// A frame is a length (u32), a kind (u8) and that many bytes of payload. Numbers are little-endian, strings end in NUL.
#ifndef AGENTGYM_PROTOCOL_H
#define AGENTGYM_PROTOCOL_H

#define PROTOCOL_VERSION 1
#define HEADER_BYTES 5
#define MAX_PAYLOAD (8u << 20)
#define PIECE_BYTES 65536u

// First byte of a message on the control socket, which carries one end of a new channel.
enum { CONTROL_CHANNEL = 'c', CONTROL_CLEAR = 'k' };

enum frame_kind {
    // First frame of a channel: what to do.
    FRAME_EXEC = 1,
    FRAME_SHELL = 2,
    FRAME_READ = 3,
    FRAME_WRITE = 4,
    FRAME_CONNECT = 5,
    FRAME_RELAY = 6,
    FRAME_CLEAR = 7,
    FRAME_STATUS = 8,
    // Further frames from the host.
    FRAME_INPUT = 16,
    FRAME_INPUT_END = 17,
    FRAME_RUN = 18,
    // Frames from the runner.
    FRAME_OUTPUT = 32,
    FRAME_ERROR_OUTPUT = 33,
    FRAME_EXIT = 34,
    FRAME_READY = 35,
    FRAME_FAILED = 36,
};

enum exec_flag { EXEC_HAS_STDIN = 1, EXEC_MERGES_STDERR = 2, EXEC_KEEPS_BACKGROUND = 4, EXEC_STAYS_BENEATH = 8 };

enum exit_flag { EXIT_TIMED_OUT = 1, EXIT_INTERRUPTED = 2, EXIT_LEFTOVERS = 4, EXIT_SHELL_GONE = 8 };

#endif
