using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Chart;

/// <summary>The deployment files that <c>build/copy-services</c> copies, without the lab and its stages.</summary>
public sealed class CopyTests
{
    [Fact]
    public async Task Chart_installs_no_image_of_the_lab_and_has_the_files_that_it_reads()
    {
        Tool.Require("helm");
        using var copy = await CopyAsync();
        var chart = Path.Combine(copy.Path, HelmChart.Folder);

        await Tool.RunAsync("helm", ["lint", "--strict", chart]);
        var manifests = await Tool.RunAsync(
            "helm",
            ["template", "drone", chart, "--values", Path.Combine(chart, "values-local.yaml")]
        );

        Assert.DoesNotContain("drone-delivery/lab", manifests, StringComparison.Ordinal);
        var request = Manifests.Find(manifests, "ConfigMap", "test-delivery")["data"]!["delivery.json"];
        Assert.Equal(Read("loadtest/requests/delivery.json"), $"{request}");
        var tests = Directory.GetFiles(Path.Combine(chart, "tests"));
        var values = tests.SelectMany(file => Regex.Matches(File.ReadAllText(file), @"\.\./[\w/-]+\.yaml"));
        Assert.All(values, file => Assert.True(File.Exists(Path.Combine(chart, "tests", file.Value)), file.Value));
    }

    [Fact]
    public async Task Parameters_of_the_infrastructure_compile()
    {
        using var copy = await CopyAsync();

        await BicepTemplate.RunAsync("build-params", Path.Combine(copy.Path, "infra", "main.bicepparam"));
    }

    [Fact]
    public async Task Skaffold_builds_projects_and_reads_values_that_are_in_the_copy()
    {
        using var copy = await CopyAsync();
        var skaffold = await File.ReadAllTextAsync(
            Path.Combine(copy.Path, "skaffold.yaml"),
            TestContext.Current.CancellationToken
        );

        Assert.Single(Yaml.Documents(skaffold));
        var commands = Regex.Matches(skaffold, @"bash (build/\S+) (\w+)");
        Assert.Equal(7, commands.Count);
        var files = commands
            .SelectMany(command => new[] { command.Groups[1].Value, SkaffoldFile.PathOf(command.Groups[2].Value) })
            .Concat(Regex.Matches(skaffold, @"\w[\w/-]+\.(?:yaml|json)").Select(file => file.Value))
            .Except(["infra/values.json"]); // infra/connect writes it
        Assert.All(files, file => Assert.True(File.Exists(Path.Combine(copy.Path, file)), file));
    }

    private static async Task<OwnFolder> CopyAsync()
    {
        var folder = new OwnFolder();
        await Tool.RunAsync("bash", ["build/copy-services", folder.Path]);
        return folder;
    }
}
