namespace DroneDelivery.Kubernetes.Tests.Chart;

public sealed class AlertTests
{
    [Fact]
    public async Task Each_alert_fires_only_for_its_cause()
    {
        Tool.Require("promtool");
        using var folder = new OwnFolder();
        var manifest = await HelmChart.RenderAsync(
            "",
            "--set",
            "monitoring.alerts=true",
            "--show-only",
            "templates/alerts.yaml"
        );
        await File.WriteAllTextAsync(
            Path.Combine(folder.Path, "rules.yaml"),
            SpecOf(manifest),
            TestContext.Current.CancellationToken
        );
        var scenarios = Path.Combine(folder.Path, "scenarios.yaml");
        await File.WriteAllTextAsync(
            scenarios,
            Read("tests/Kubernetes.Tests/Chart/alerts.yaml"),
            TestContext.Current.CancellationToken
        );

        var result = await Tool.TryAsync("promtool", ["test", "rules", scenarios]);

        Assert.True(result.ExitCode == 0, result.Output + result.Error);
    }

    private static string SpecOf(string manifest) =>
        string.Join(
            '\n',
            manifest
                .Split('\n')
                .SkipWhile(line => line != "spec:")
                .Skip(1)
                .Select(line => line.StartsWith("  ", StringComparison.Ordinal) ? line[2..] : line)
        );
}
