/* SPDX-License-Identifier: Apache-2.0 */
/* tests/talker.c - talker SOCKET SIGN: connect to it, make SIGN, talk for ever. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (argc != 3 || strlen(argv[1]) >= sizeof to.sun_path)
		return 1;
	strcpy(to.sun_path, argv[1]);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0 ||
	    creat(argv[2], 0600) < 0)
		return 1;
	for (;;) {
		(void)send(fd, "word", 4, MSG_DONTWAIT);
		usleep(20000);
	}
}
