using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary><c>infra/preflight</c> with only fakes on PATH.</summary>
public sealed partial class PreflightTests
{
    private static readonly string[] Tools =
    [
        "az",
        "bash",
        "docker",
        "dotnet",
        "helm",
        "kubectl",
        "kubelogin",
        "openssl",
        "skaffold",
    ];

    // The default subscription of az is another, empty one.
    private const string Fake = """
        #!/bin/sh
        case "${0##*/} $*" in
          "az version"* | "az account show"* | "az ad "* | az*"--subscription 0123"* | az*/subscriptions/0123/*) ;;
          "az "*) exit 3 ;;
        esac
        case "${0##*/} $*" in
          "helm version"*) echo "${HELM:-v4.3.1}" ;;
          "skaffold version"*) echo v2.24.0 ;;
          "dotnet --version"*) echo 10.0.401 ;;
          "az version"*) echo 2.90.1 ;;
          "az account show"*) [ -z "$LOGGED_OUT" ] ;;
          "az ad signed-in-user"*) echo 0-1 ;;
          "az role assignment"*) echo "${ROLES:-Owner}" ;;
          "az aks show"*) [ -n "$EXISTS" ] ;;
          "az group show"*) [ -n "$FOREIGN" ] ;;
          "az rest"*"[?name=='test']"*) [ "$BUDGET" != unknown ] && echo "$BUDGET" ;;
          "azd env set"*) echo "$*" ;;
          "date "*) echo 2026-12-01 ;;
          "az vm list-usage"*standardDSv5Family*) printf '%s\n' "${LIMIT:-32}" 0 ;;
          "az vm list-usage"*cores*) printf '%s\n' "${CORES:-100}" 4 ;;
          "docker info"*) [ -z "$STOPPED" ] ;;
        esac
        """;

    [Fact]
    public async Task Preflight_passes_when_nothing_is_missing()
    {
        var result = await RunAsync(Tools);

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
    }

    [Fact]
    public async Task All_missing_tools_are_reported_at_once()
    {
        var result = await RunAsync(["az"]);

        Assert.Equal(1, result.ExitCode);
        Assert.Equal(
            Tools.Except(["az"]),
            Missing().Matches(result.Error).Select(match => match.Groups[1].Value).Order()
        );
        Assert.Contains("8 missing; nothing was created.", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("HELM", "v3.19.0", "helm 3.19.0 is too old: 4.0 or later")]
    [InlineData("LOGGED_OUT", "yes", "az is not logged in")]
    [InlineData("STOPPED", "yes", "docker is not running")]
    [InlineData("ROLES", "Contributor", "you may not assign roles in subscription 0123")]
    [InlineData("FOREIGN", "yes", "the resource group test exists and is not one of azd")]
    [InlineData("LIMIT", "10", "a quota of 10 vCPUs of the family DSv5, of which 0 are in use; 20 are needed")]
    [InlineData("CORES", "20", "a quota of 20 vCPUs of all families, of which 4 are in use; 20 are needed")]
    public async Task Problem_is_reported(string variable, string value, string expected)
    {
        var result = await RunAsync(Tools, KeyValuePair.Create(variable, value));

        Assert.Equal(1, result.ExitCode);
        Assert.Contains(expected, result.Error, StringComparison.Ordinal);
        Assert.Contains("1 missing; nothing was created.", result.Error, StringComparison.Ordinal);
    }

    /// <summary>Azure rejects a changed first month, and a new budget that starts in a past month.</summary>
    [Theory]
    [InlineData("2026-07-01T00:00:00Z", "", "env set BUDGET_START 2026-07-01")] // created by another machine
    [InlineData("2026-07-01T00:00:00Z", "2026-07-01", "")]
    [InlineData("", "", "env set BUDGET_START 2026-12-01")]
    [InlineData("", "2026-12-01", "")]
    [InlineData("", "2026-07-01", "env set BUDGET_START 2026-12-01")] // the budget was turned off or deleted
    [InlineData("unknown", "2026-07-01", "")]
    public async Task Budget_keeps_its_first_month_and_a_new_one_starts_in_this_month(
        string existing,
        string start,
        string expected
    )
    {
        var result = await RunAsync([.. Tools, "azd", "date"], new("BUDGET", existing), new("BUDGET_START", start));

        Assert.Equal((0, expected), (result.ExitCode, result.Output.Trim()));
    }

    [Theory]
    [InlineData("Standard_D4s_v5", "LIMIT", "16 vCPUs of the family DSv5, of which 0 are in use; 20 are needed")]
    [InlineData("Standard_D4as_v5", "LIMIT", "")] // The system nodes require 8.
    [InlineData("Standard_E16-4ds_v5", "CORES", "16 vCPUs of all families, of which 4 are in use; 56 are needed")]
    public async Task Quota_depends_on_the_size_of_the_nodes(string size, string quota, string expected)
    {
        var result = await RunAsync(Tools, new("NODE_SIZE", size), new("NODE_COUNT", "3"), new(quota, "16"));

        Assert.Equal(expected.Length == 0 ? 0 : 1, result.ExitCode);
        Assert.Contains(expected, result.Error, StringComparison.Ordinal);
    }

    /// <summary>The quota's use already includes its nodes.</summary>
    [Fact]
    public async Task Quota_is_not_checked_when_the_cluster_exists()
    {
        var result = await RunAsync(Tools, new("LIMIT", "10"), new("CORES", "10"), new("EXISTS", "yes"));

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
    }

    [Fact]
    public void Windows_requires_the_same_tools_and_versions()
    {
        var posix = Read("infra/preflight");
        var windows = Read("infra/preflight.ps1");

        Assert.Equal(RequiredByPosix().Matches(posix).Select(Name), RequiredByWindows().Matches(windows).Select(Name));
        Assert.Equal(
            VersionOfPosix().Matches(posix).Select(Name).Order(),
            VersionOfWindows().Matches(windows).Select(Name).Order()
        );

        static string Name(Match match) => $"{match.Groups[1].Value} {match.Groups[2].Value}";
    }

    private static async Task<Result> RunAsync(string[] tools, params KeyValuePair<string, string>[] more)
    {
        using var fakes = await FakeTools.CreateAsync(Fake, tools);
        return await Tool.TryAsync(
            "/bin/sh",
            ["infra/preflight"],
            environment: new([
                new("PATH", fakes.Folder),
                new("AZURE_SUBSCRIPTION_ID", "0123"),
                new("AZURE_LOCATION", "eastus2"),
                new("AZURE_ENV_NAME", "test"),
                .. more,
            ])
        );
    }

    [GeneratedRegex(@"- (\S+) is not installed")]
    private static partial Regex Missing();

    [GeneratedRegex(@"^require (\w+)", RegexOptions.Multiline)]
    private static partial Regex RequiredByPosix();

    [GeneratedRegex(@"^Confirm-Installed (\w+)", RegexOptions.Multiline)]
    private static partial Regex RequiredByWindows();

    [GeneratedRegex(@"at_least (\w+) ""[^\n]* (\d+\.\d+)(?:; fi)?$", RegexOptions.Multiline)]
    private static partial Regex VersionOfPosix();

    [GeneratedRegex(@"Confirm-AtLeast (\w+) [^\n]* '(\d+\.\d+)' \}$", RegexOptions.Multiline)]
    private static partial Regex VersionOfWindows();
}
