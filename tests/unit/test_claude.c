/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_claude.c - the sandbox of agents' settings, as policies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/policy.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/policy_equal.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define KNOWN                                                            \
	" (known: enabled, autoAllowBashIfSandboxed, excludedCommands, " \
	"allowUnsandboxedCommands, enableWeakerNestedSandbox, "          \
	"failIfUnavailable, allowedPaths, deniedPaths, allowedDomains, " \
	"deniedDomains, blockedDomains, network, filesystem, "           \
	"credentials, enableWeakerNetworkIsolation, ignoreViolations, "  \
	"bwrapPath, ripgrep)"
#define KNOWN_NETWORK                                              \
	" (known: allowedDomains, deniedDomains, blockedDomains, " \
	"allowManagedDomainsOnly, allowUnixSockets, "              \
	"allowAllUnixSockets, allowLocalBinding, httpProxyPort, "  \
	"socksProxyPort, allowMachLookup)"
#define KNOWN_FILESYSTEM " (known: allowRead, allowWrite, denyWrite, denyRead)"

#define READ                                                          \
	"\"-/usr\", \"-/lib\", \"-/lib64\", \"-/lib32\", \"-/bin\", " \
	"\"-/sbin\", \"-/etc\", \"-/Library\", \"-/System\", "        \
	"\"-/home/u/.cargo\", \"-/home/u/.rustup\", \"-/home/u/.npm\""
#define WRITE "\"@project\", \"-/tmp\", \"-/var/tmp\""
#define PATHS "filesystem.read = [" READ "]\nfilesystem.write = [" WRITE "]\n"
#define GIT "\"@git-hooks\", \"@git-config\""
#define CLOSED "filesystem.deny_write = [" GIT "]\n"
#define BASE PATHS CLOSED

static const struct policy_place place = {
	.cwd = "/p",
	.home = "/home/u",
	.project = "/p",
};

static struct policy read_settings(struct arena *arena, const char *text)
{
	struct policy policy = { 0 };

	if (policy_from_claude(arena, text, strlen(text), "settings.json",
			       &place, &policy) < 0)
		fail_msg("%s\n%s", text, err_text());
	return policy;
}

/* members: of an enabled sandbox; profile: what says the same. */
static void check(struct arena *arena, const char *members, const char *profile)
{
	const char *text =
		arena_printf(arena, "{\"sandbox\": {\"enabled\": true%s%s}}",
			     *members ? ", " : "", members);
	struct policy policy = read_settings(arena, text);
	struct policy wanted = { 0 };
	const char *got;

	if (policy_from_toml(arena, profile, strlen(profile), "profile", &place,
			     &wanted) < 0)
		fail_msg("%s", err_text());
	assert_int_equal(policy_to_toml(arena, &policy, &got), 0);
	if (!policy_equal(&policy, &wanted))
		fail_msg("%s\nis\n%s\nnot\n%s", text, got, profile);
}

/* The settings file of the description. */
static void the_example(void **state)
{
	static const char settings[] =
		"{\n\"sandbox\": {\n\"enabled\": true,\n"
		"\"autoAllowBashIfSandboxed\": true,\n"
		"\"excludedCommands\": [\"docker\", \"kubectl\"],\n"
		"\"allowUnsandboxedCommands\": true,\n"
		"\"network\": {\n\"allowUnixSockets\": [\"~/.ssh/agent\"],\n"
		"\"httpProxyPort\": 8080,\n\"socksProxyPort\": 1080\n}\n}\n}\n";
	static const char profile[] = BASE
		"program.excluded = [\"docker\", \"kubectl\"]\n"
		"program.allow_unsandboxed = true\n"
		"network.unix = [\"/home/u/.ssh/agent\"]\n"
		"network.http_proxy_port = 8080\n"
		"network.socks_proxy_port = 1080\n";
	struct policy policy = read_settings(*state, settings);
	struct policy wanted = { 0 };

	assert_int_equal(policy_from_toml(*state, profile, strlen(profile), "p",
					  &place, &wanted),
			 0);
	assert_true(policy_equal(&policy, &wanted));
	assert_true(policy.auto_allow_bash.set);
	assert_true(policy.auto_allow_bash.value);
}

/* The builders of the description, as settings. */
static void its_other_examples(void **state)
{
	check(*state,
	      "\"allowedPaths\": [\"/usr/local/bin\"], "
	      "\"excludedCommands\": [\"docker\"]",
	      "filesystem.read = [" READ ", \"/usr/local/bin\"]\n"
	      "filesystem.write = [" WRITE "]\n" CLOSED
	      "program.excluded = [\"docker\"]\n");
	check(*state,
	      "\"allowedPaths\": [\"/usr/local\", \"/opt/tools\"], "
	      "\"deniedPaths\": [\"*.env\", \"secrets/*\"], "
	      "\"excludedCommands\": [\"docker\", \"podman\"], "
	      "\"network\": {\"httpProxyPort\": 8080}",
	      "filesystem.read = [" READ ", \"/usr/local\", \"/opt/tools\"]\n"
	      "filesystem.write = [" WRITE "]\n" CLOSED
	      "filesystem.deny = [\"*.env\", \"/p/secrets/*\"]\n"
	      "program.excluded = [\"docker\", \"podman\"]\n"
	      "network.http_proxy_port = 8080\n");
	check(*state,
	      "\"network\": {\"httpProxyPort\": 8080, "
	      "\"socksProxyPort\": 1080}",
	      BASE "network.http_proxy_port = 8080\n"
		   "network.socks_proxy_port = 1080\n");
	check(*state,
	      "\"excludedCommands\": [\"docker\", \"podman *\", \"kubectl\"], "
	      "\"allowUnsandboxedCommands\": false",
	      BASE "program.excluded = [\"docker\", \"podman\", "
		   "\"kubectl\"]\nprogram.allow_unsandboxed = false\n");
}

static void every_key(void **state)
{
	static const struct {
		const char *members, *profile;
	} cases[] = {
		{ "", BASE },
		{ "\"enableWeakerNestedSandbox\": true",
		  BASE "program.weaker_nested = true\n" },
		{ "\"failIfUnavailable\": true", BASE },
		{ "\"failIfUnavailable\": false", PATHS CLOSED
		  "config.allow_degraded = [\"fs_refer\", "
		  "\"fs_truncate\", \"net_tcp\", \"fs_ioctl_dev\", "
		  "\"signal_scope\", \"abstract_unix_socket_scope\", "
		  "\"namespaces\", \"cgroups\", \"deny_replace\"]\n" },
		{ "\"allowedDomains\": [\"github.com\", \"*.npmjs.org\"]",
		  BASE "network.allow = [\"github.com\", \"*.npmjs.org\"]\n" },
		{ "\"blockedDomains\": [\"evil.com\"]",
		  BASE "network.deny = [\"evil.com\"]\n" },
		{ "\"network\": {\"allowedDomains\": [\"a.b\"], "
		  "\"blockedDomains\": [\"c.d\"]}",
		  BASE "network.allow = [\"a.b\"]\n"
		       "network.deny = [\"c.d\"]\n" },
		{ "\"allowedDomains\": [\"a.b\"], "
		  "\"network\": {\"allowedDomains\": [\"c.d\"]}",
		  BASE "network.allow = [\"a.b\", \"c.d\"]\n" },
		/* Denied domains open nothing. */
		{ "\"network\": {\"deniedDomains\": [\"c.d\"]}",
		  BASE "network.allow = []\nnetwork.deny = [\"c.d\"]\n" },
		{ "\"deniedDomains\": [\"c.d\"]",
		  BASE "network.allow = []\nnetwork.deny = [\"c.d\"]\n" },
		{ "\"network\": {\"deniedDomains\": [\"c.d\"], "
		  "\"allowedDomains\": [\"a.b\"]}",
		  BASE "network.allow = [\"a.b\"]\n"
		       "network.deny = [\"c.d\"]\n" },
		/* No managed settings, so no domain. */
		{ "\"network\": {\"allowManagedDomainsOnly\": true}",
		  BASE "network.allow = []\n" },
		{ "\"network\": {\"allowManagedDomainsOnly\": true, "
		  "\"allowedDomains\": [\"a.b\"]}",
		  BASE "network.allow = []\n" },
		{ "\"allowedDomains\": [\"a.b\"], "
		  "\"network\": {\"allowManagedDomainsOnly\": true}",
		  BASE "network.allow = []\n" },
		{ "\"network\": {\"allowManagedDomainsOnly\": false, "
		  "\"allowedDomains\": [\"a.b\"]}",
		  BASE "network.allow = [\"a.b\"]\n" },
		{ "\"allowedDomains\": []", BASE "network.allow = []\n" },
		{ "\"network\": {}, \"filesystem\": {}", BASE },
		{ "\"network\": {\"allowUnixSockets\": [\"/run/x\", \"s\"]}",
		  BASE "network.unix = [\"/run/x\", \"/p/s\"]\n" },
		{ "\"network\": {\"allowAllUnixSockets\": true}",
		  BASE "network.unix = [\"/\"]\n" },
		{ "\"network\": {\"allowAllUnixSockets\": false}", BASE },
		{ "\"network\": {\"allowLocalBinding\": true}",
		  BASE "network.allow_local_binding = true\n" },
		{ "\"filesystem\": {\"allowRead\": [\"~/data\", \"/opt\"], "
		  "\"denyRead\": [\"~/.ssh\", \"~/data/keys\"]}",
		  "filesystem.read = [" READ ", \"/home/u/data\", "
		  "\"/opt\"]\nfilesystem.write = [" WRITE "]\n" CLOSED
		  "filesystem.deny_read = [\"/home/u/.ssh\", "
		  "\"/home/u/data/keys\"]\n" },
		{ "\"filesystem\": {\"allowWrite\": [\"~/out\", \"build\"]}",
		  "filesystem.read = [" READ "]\n"
		  "filesystem.write = [" WRITE ", \"/home/u/out\", "
		  "\"/p/build\"]\n" CLOSED },
		{ "\"filesystem\": {\"denyWrite\": [\".git\"], "
		  "\"denyRead\": [\"~/.ssh\", \"*.pem\"]}",
		  PATHS "filesystem.deny_write = [" GIT ", \"/p/.git\"]\n"
			"filesystem.deny_read = [\"/home/u/.ssh\", "
			"\"*.pem\"]\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check(*state, cases[i].members, cases[i].profile);
}

/* They tune or loosen another tool. */
static void settings_without_effect(void **state)
{
	struct policy policy = read_settings(
		*state, "{\"sandbox\": {\"enabled\": true, "
			"\"network\": {\"allowMachLookup\": [\"com.apple.x\"], "
			"\"allowManagedDomainsOnly\": true, "
			"\"allowedDomains\": [\"a.b\"]}, "
			"\"enableWeakerNetworkIsolation\": true, "
			"\"ignoreViolations\": {\"*\": [\"/x\"]}, "
			"\"bwrapPath\": \"/usr/bin/bwrap\", "
			"\"ripgrep\": {\"command\": \"rg\"}}}");
	static const char *const names[] = {
		"network.allowMachLookup",
		"enableWeakerNetworkIsolation",
		"ignoreViolations",
		"bwrapPath",
		"ripgrep",
		"allowedDomains",
	};
	struct policy above = { 0 };

	assert_int_equal(policy.ignored.n, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++)
		assert_string_equal(policy.ignored.items[i], names[i]);
	policy_layer(&policy, &above);
	assert_int_equal(policy.ignored.n, COUNT(names));
	policy = read_settings(*state, "{\"sandbox\": {\"enabled\": true}}");
	assert_int_equal(policy.ignored.n, 0);
}

static void the_rest_of_the_file_is_not_ours(void **state)
{
	struct policy policy = read_settings(
		*state, "{\"permissions\": {\"allow\": [1]}, \"enabled\": 0, "
			"\"Sandbox\": 1, \"sandbox\": {\"enabled\": true, "
			"\"autoAllowBashIfSandboxed\": false}}");

	assert_true(policy.auto_allow_bash.set);
	assert_false(policy.auto_allow_bash.value);
	assert_string_equal(policy.origin[KEY_READ], "settings.json");
}

static void without_a_home_there_are_no_tools(void **state)
{
	static const char text[] = "{\"sandbox\": {\"enabled\": true}}";
	const struct policy_place nowhere = { .cwd = "/p", .project = "/p" };
	struct policy policy = { 0 };

	assert_int_equal(policy_from_claude(*state, text, strlen(text), "s",
					    &nowhere, &policy),
			 0);
	assert_int_equal(policy.read.n, 9);
}

#define SANDBOX(members) "{\"sandbox\": {\"enabled\": true, " members "}}"

#define NO_COMMAND                                                      \
	" is not a program name without arguments, such as \"docker\" " \
	"or \"docker *\""

static void refusals(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "is empty, but must contain JSON" },
		{ "[]", "[] is not an object" },
		{ "{}", "has no sandbox object, which contains the settings" },
		{ "{\"Sandbox\": {\"enabled\": true}}",
		  "has no sandbox object, which contains the settings" },
		{ "{\"sandbox\": true}", "sandbox: true is not an object" },
		{ "{\"sandbox\": {}}",
		  "sandbox.enabled must be true: set it, or do without this "
		  "file" },
		{ "{\"sandbox\": {\"enabled\": false}}",
		  "sandbox.enabled must be true: set it, or do without this "
		  "file" },
		{ "{\"sandbox\": {\"enabled\": \"true\"}}",
		  "sandbox: enabled: \"true\" is not true or false" },
		{ "{\"sandbox\": {\"enabled\": null}}",
		  "sandbox: enabled: null is not true or false" },
		{ SANDBOX("\"allowedDomain\": [\"a.b\", 1.5]"),
		  "sandbox: unknown key \"allowedDomain\" = [\"a.b\", "
		  "1.5]" KNOWN ": did you mean allowedDomains?" },
		{ SANDBOX("\"Network\": {\"x\": []}"),
		  "sandbox: unknown key \"Network\", a table" KNOWN
		  ": did you mean network?" },
		{ SANDBOX("\"network\": {\"httpProxy\": 80}"),
		  "sandbox: network: unknown key \"httpProxy\" = "
		  "80" KNOWN_NETWORK },
		{ SANDBOX("\"filesystem\": {\"allowReads\": [\"/\"]}"),
		  "sandbox: filesystem: unknown key \"allowReads\" = "
		  "[\"/\"]" KNOWN_FILESYSTEM ": did you mean allowRead?" },
		{ SANDBOX("\"filesystem\": {\"denyRead\": [\"~/\"], "
			  "\"allowRead\": [\"~/src\"]}"),
		  "sandbox: filesystem: allowRead '/home/u/src' has no effect "
		  "because denyRead lists '/home/u': deny only what must not "
		  "be read; what is not listed is not readable" },
		{ SANDBOX("\"credentials\": {\"files\": []}"),
		  "sandbox: credentials: not enforced by this build (remove "
		  "this key)" },
		{ SANDBOX("\"network\": {\"allowManagedDomainsOnly\": 1}"),
		  "sandbox: network: allowManagedDomainsOnly: 1 is not true or "
		  "false" },
		{ SANDBOX("\"network\": {\"allowMachLookup\": true}"),
		  "sandbox: network: allowMachLookup: true is not a list" },
		{ SANDBOX("\"enableWeakerNetworkIsolation\": \"yes\""),
		  "sandbox: enableWeakerNetworkIsolation: \"yes\" is not true "
		  "or false" },
		{ SANDBOX("\"ignoreViolations\": true"),
		  "sandbox: ignoreViolations: true is not an object" },
		{ SANDBOX("\"bwrapPath\": 1"),
		  "sandbox: bwrapPath: 1 is not a string" },
		{ SANDBOX("\"network\": []"),
		  "sandbox: network: [] is not an object" },
		{ SANDBOX("\"excludedCommands\": \"docker\""),
		  "sandbox: excludedCommands: \"docker\" is not a list" },
		{ SANDBOX("\"excludedCommands\": [1]"),
		  "sandbox: excludedCommands: program.excluded: 1 is not a "
		  "program" },
		{ SANDBOX("\"excludedCommands\": [\"ls\", \"git push\"]"),
		  "sandbox: excludedCommands: \"git push\"" NO_COMMAND },
		{ SANDBOX("\"excludedCommands\": [\"git push *\"]"),
		  "sandbox: excludedCommands: \"git push *\"" NO_COMMAND },
		{ SANDBOX("\"excludedCommands\": [\" *\"]"),
		  "sandbox: excludedCommands: \" *\"" NO_COMMAND },
		{ SANDBOX("\"allowUnsandboxedCommands\": 1"),
		  "sandbox: allowUnsandboxedCommands: "
		  "program.allow_unsandboxed: 1 is not true or false" },
		{ SANDBOX("\"enableWeakerNestedSandbox\": \"true\""),
		  "sandbox: enableWeakerNestedSandbox: program.weaker_nested: "
		  "'true' is not true or false" },
		{ SANDBOX("\"autoAllowBashIfSandboxed\": 1"),
		  "sandbox: autoAllowBashIfSandboxed: 1 is not true or "
		  "false" },
		{ SANDBOX("\"failIfUnavailable\": []"),
		  "sandbox: failIfUnavailable: [] is not true or false" },
		{ SANDBOX("\"network\": {\"httpProxyPort\": 70000}"),
		  "sandbox: network: httpProxyPort: network.http_proxy_port: "
		  "70000 is not a number from 1 to 65535" },
		{ SANDBOX("\"network\": {\"httpProxyPort\": 80.5}"),
		  "sandbox: network: httpProxyPort: network.http_proxy_port: "
		  "must be a number from 1 to 65535, not 80.5" },
		{ SANDBOX("\"network\": {\"socksProxyPort\": \"1080\"}"),
		  "sandbox: network: socksProxyPort: "
		  "network.socks_proxy_port: '1080' is not a number from 1 to "
		  "65535" },
		{ SANDBOX("\"network\": {\"allowAllUnixSockets\": 1}"),
		  "sandbox: network: allowAllUnixSockets: 1 is not true or "
		  "false" },
		{ SANDBOX("\"filesystem\": {\"denyRead\": [\"$HOME/x\"]}"),
		  "sandbox: filesystem: denyRead: filesystem.deny_read: "
		  "'$HOME/x' contains a variable, but variables are not "
		  "expanded: write its value" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct policy policy = { 0 };
		const char *wanted = arena_printf(*state, "settings.json: %s",
						  cases[i].error);

		if (policy_from_claude(*state, cases[i].text,
				       strlen(cases[i].text), "settings.json",
				       &place, &policy) == 0)
			fail_msg("accepted: %s", cases[i].text);
		if (!streq(err_text(), wanted))
			fail_msg("%s\nis  %s\nnot %s", cases[i].text,
				 err_text(), wanted);
		assert_false(policy.set[KEY_READ]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(the_example),
		arena_test(its_other_examples),
		arena_test(every_key),
		arena_test(settings_without_effect),
		arena_test(the_rest_of_the_file_is_not_ours),
		arena_test(without_a_home_there_are_no_tools),
		arena_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
