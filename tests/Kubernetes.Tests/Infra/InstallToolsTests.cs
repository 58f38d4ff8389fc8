using System.Security.Cryptography;

namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary><c>build/install-tools</c> with a fake download.</summary>
public sealed class InstallToolsTests
{
    // A URL that ends with .sha256 returns a digest; any other download is a file that contains "tool".
    private const string Tools = """
        #!/bin/sh
        case "${0##*/} $*" in
          "curl "*.sha256) echo "$DIGEST  skaffold-linux-amd64" ;;
          "curl "*) printf tool >"$2" ;;
          "sudo install "*) echo "$*" ;;
        esac
        """;

    private static readonly string Digest = Convert.ToHexStringLower(SHA256.HashData("tool"u8));

    [Fact]
    public async Task Tool_with_the_published_digest_is_installed()
    {
        var result = await RunAsync("skaffold", Digest);

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.EndsWith("skaffold-linux-amd64 /usr/local/bin/skaffold", result.Output.Trim(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("skaffold")]
    [InlineData("azd")]
    [InlineData("kubelogin")]
    public async Task Tool_with_another_digest_is_not_installed(string tool)
    {
        var result = await RunAsync(tool, new('0', Digest.Length));

        Assert.NotEqual(0, result.ExitCode);
        Assert.DoesNotContain("/usr/local/bin", result.Output, StringComparison.Ordinal);
    }

    private static async Task<Result> RunAsync(string tool, string digest)
    {
        Tool.Require("bash", "sha256sum");
        using var tools = await FakeTools.CreateAsync(Tools, "curl", "sudo");
        return await Tool.TryAsync(
            "bash",
            ["build/install-tools", tool],
            environment: new([tools.Path, new("DIGEST", digest)])
        );
    }
}
