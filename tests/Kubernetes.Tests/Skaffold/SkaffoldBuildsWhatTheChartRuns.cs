using System.Runtime.InteropServices;
using System.Text.Json.Nodes;
using DroneDelivery.Kubernetes.Tests.Tools;
using DroneDelivery.Lab;

namespace DroneDelivery.Kubernetes.Tests.Skaffold;

public sealed class SkaffoldBuildsWhatTheChartRuns
{
    private static readonly JsonNode Skaffold = Yaml.Documents(File.ReadAllText(Path.Combine(Repository.Root, "skaffold.yaml"))).Single();

    /// <summary>An image is for the processor of this machine, unless skaffold says which.</summary>
    private static readonly string Here = RuntimeInformation.OSArchitecture == Architecture.Arm64 ? "linux-arm64" : "linux-x64";

    private static JsonArray Artifacts => Skaffold["build"]!["artifacts"]!.AsArray();

    private static JsonObject Images => Skaffold["deploy"]!["helm"]!["releases"]![0]!["setValueTemplates"]!.AsObject();

    [Fact]
    public async Task The_file_is_valid_by_the_schema_of_its_version()
    {
        Tool.Require("helm", "kc.sh");
        var schema = Path.Combine(Tool.FolderOf("kc.sh"), "..", "schemas", "skaffold", "v4beta14.json");
        Assert.SkipUnless(File.Exists(schema), "The schema of skaffold/v4beta14 is not on this machine, so this was not checked.");
        // helm validates values by a schema, whatever they are values of.
        var chart = Directory.CreateTempSubdirectory("skaffold-schema").FullName;
        try
        {
            File.Copy(schema, Path.Combine(chart, "values.schema.json"));
            const string Metadata = "apiVersion: v2\nname: skaffold\nversion: 0.0.1\n";
            await File.WriteAllTextAsync(Path.Combine(chart, "Chart.yaml"), Metadata, TestContext.Current.CancellationToken);

            var valid = await Tool.TryAsync("helm", ["template", chart, "--values", "skaffold.yaml"]);
            var invalid = await Tool.TryAsync("helm", ["template", chart, "--values", "skaffold.yaml", "--set", "build.artefacts=none"]);

            Assert.True(valid.ExitCode == 0, valid.Error);
            Assert.Contains("artefacts", invalid.Error, StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(chart, recursive: true);
        }
    }

    [Fact]
    public void Every_image_has_a_project_and_a_place_in_the_chart()
    {
        Assert.Equal(7, Artifacts.Count);
        foreach (var artifact in Artifacts)
        {
            var image = artifact!["image"]!.ToString();
            var project = artifact["custom"]!["buildCommand"]!.ToString().Split(' ')[1];
            var name = image.Replace('-', '_').Replace('/', '_'); // as skaffold does
            Assert.Equal(image, $"drone-delivery/{project.ToLowerInvariant()}");
            var (folder, workload) = project == "Lab" ? ("loadtest", "telemetry") : ("services", project.ToLowerInvariant());
            Assert.True(File.Exists(Path.Combine(Repository.Root, folder, project, $"{project}.csproj")));
            Assert.Single(
                Images,
                pair => pair.Key.EndsWith($".{workload}.image.repository", StringComparison.Ordinal)
                    && pair.Value!.ToString() == $"{{{{.IMAGE_REPO_{name}}}}}");
            Assert.Single(
                Images,
                pair => pair.Key.EndsWith($".{workload}.image.tag", StringComparison.Ordinal)
                    && pair.Value!.ToString() == $"{{{{.IMAGE_TAG_{name}}}}}@{{{{.IMAGE_DIGEST_{name}}}}}");
        }
    }

    [Fact]
    public void Every_path_that_is_watched_exists()
    {
        foreach (var path in Artifacts.SelectMany(artifact => artifact!["custom"]!["dependencies"]!["paths"]!.AsArray()))
            Assert.True(Path.Exists(Path.Combine(Repository.Root, path!.ToString())), $"{path} is not there");
    }

    [Theory]
    [InlineData(
        "",
        "local",
        "drone-delivery/workflow:v1",
        "-p:ContainerImageTag=v1 -p:ContainerRepository=drone-delivery/workflow --runtime {here}")]
    [InlineData(
        "linux/arm64",
        "true",
        "acr.azurecr.io/drone-delivery/workflow:v1",
        "-p:ContainerImageTag=v1 -p:ContainerRegistry=acr.azurecr.io -p:ContainerRepository=drone-delivery/workflow --runtime linux-arm64")]
    [InlineData(
        "linux/amd64",
        "true",
        "localhost:5001/workflow:v1",
        "-p:ContainerImageTag=v1 -p:ContainerRegistry=localhost:5001 -p:ContainerRepository=workflow --runtime linux-x64")]
    public async Task What_skaffold_asks_for_reaches_the_SDK(string platforms, string push, string image, string expected)
    {
        var result = await BuildAsync(new() { ["IMAGE"] = image, ["PUSH_IMAGE"] = push, ["PLATFORMS"] = platforms });

        var arguments = expected.Replace("{here}", Here, StringComparison.Ordinal);
        Assert.Equal(
            $"publish {Repository.Root}/services/Workflow/Workflow.csproj -c Release -t:PublishContainer {arguments} -p:AzureSdk=true",
            result.Output.Trim());
    }

    [Theory]
    [InlineData("linux/amd64,linux/arm64", "false", "workflow:v1", "one of linux/amd64 and linux/arm64")]
    [InlineData("", "true", "drone-delivery/workflow:v1", "--default-repo")]
    public async Task What_cannot_be_built_is_refused(string platforms, string push, string image, string expected)
    {
        var result = await BuildAsync(new() { ["IMAGE"] = image, ["PUSH_IMAGE"] = push, ["PLATFORMS"] = platforms });

        Assert.Equal(1, result.ExitCode);
        Assert.Contains(expected, result.Error, StringComparison.Ordinal);
    }

    /// <summary>Runs the builder with a <c>dotnet</c> that says what it was asked for.</summary>
    private static async Task<Result> BuildAsync(Dictionary<string, string> environment)
    {
        var folder = Directory.CreateTempSubdirectory("skaffold-image").FullName;
        try
        {
            var dotnet = Path.Combine(folder, "dotnet");
            await File.WriteAllTextAsync(dotnet, "#!/bin/sh\necho \"$@\"\n", TestContext.Current.CancellationToken);
            await Tool.RunAsync("chmod", ["+x", dotnet]);
            environment["PATH"] = $"{folder}:{Environment.GetEnvironmentVariable("PATH")}";
            return await Tool.TryAsync("bash", ["build/skaffold-image", "Workflow", "-p:AzureSdk=true"], environment: environment);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
