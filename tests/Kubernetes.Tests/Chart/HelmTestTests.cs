namespace DroneDelivery.Kubernetes.Tests.Chart;

/// <summary>What the pod of <c>helm test</c> makes of the status of its delivery, with a <c>curl</c> that answers it.</summary>
public sealed class HelmTestTests
{
    private const string Curl = """
        #!/bin/sh
        for word in "$@"; do [ "$last" = -o ] && echo "$STATUS" >"$word"; last=$word; done
        case "$*" in
          *" -d "*) printf '202 /api/deliveryrequests/1' ;;
          *) printf 200 ;;
        esac
        """;

    /// <summary>ApplicationStartTests has one that passes.</summary>
    [Fact]
    public async Task It_fails_with_its_delivery()
    {
        using var curl = await ToolImitation.CreateAsync(Curl, "curl");
        var pod = Manifests.Find(await HelmChart.RenderAsync(), "Pod", "test-delivery")["spec"]!["containers"]![0]!;
        var script = $"{pod["args"]![0]}".Replace(
            "/tmp/status",
            Path.Combine(curl.Folder, "status"),
            StringComparison.Ordinal
        );

        var result = await Tool.TryAsync(
            "sh",
            ["-euc", script],
            environment: new(Manifests.Environment(pod).Append(curl.Path).Append(new("STATUS", "Failed")))
        );

        Assert.Equal(1, result.ExitCode);
    }
}
