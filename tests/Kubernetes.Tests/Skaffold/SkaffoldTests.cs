using System.Runtime.InteropServices;
using System.Xml.Linq;

namespace DroneDelivery.Kubernetes.Tests.Skaffold;

public sealed class SkaffoldTests
{
    /// <summary>The platform of an image for this machine, the default.</summary>
    private static readonly string Here =
        RuntimeInformation.OSArchitecture == Architecture.Arm64 ? "linux-arm64" : "linux-x64";

    /// <summary>Profiles that can be combined, and the number of images that they build.</summary>
    public static TheoryData<string, int> Profiles =>
        new()
        {
            { "", 7 },
            { "gateway", 8 },
            { "stage-2", 7 },
            { "stage-2 gateway", 8 },
            { "azure", 5 },
            { "azure gateway stage-5", 6 },
        };

    [Fact]
    public async Task File_is_valid_for_the_schema_of_its_version()
    {
        Tool.Require("helm", "kc.sh");
        var schema = Path.Combine(Tool.FolderOf("kc.sh"), "..", "schemas", "skaffold", "v4beta14.json");
        Assert.SkipUnless(
            File.Exists(schema),
            "The schema of skaffold/v4beta14 is not on this machine, so this was not checked."
        );
        // helm validates any values against a schema.
        using var chart = new OwnFolder();
        File.Copy(schema, Path.Combine(chart.Path, "values.schema.json"));
        const string Metadata = "apiVersion: v2\nname: skaffold\nversion: 0.0.1\n";
        await File.WriteAllTextAsync(
            Path.Combine(chart.Path, "Chart.yaml"),
            Metadata,
            TestContext.Current.CancellationToken
        );
        string[] template = ["template", chart.Path, "--values", "skaffold.yaml"];

        var valid = await Tool.TryAsync("helm", template);
        var invalid = await Tool.TryAsync("helm", [.. template, "--set", "build.artefacts=none"]);

        Assert.True(valid.ExitCode == 0, valid.Error);
        Assert.Contains("artefacts", invalid.Error, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Profiles))]
    public async Task Every_image_has_a_project_and_is_used_by_the_chart(string profiles, int count)
    {
        var skaffold = SkaffoldFile.With(profiles.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        var values = skaffold.Values;
        Assert.Equal(count, skaffold.Artifacts.Count);
        Assert.Contains("--force-conflicts", skaffold.FlagsOfUpgrade, StringComparison.Ordinal);
        Assert.Equal("", values["images.registry"]!.ToString());
        Assert.Distinct(skaffold.PortForward.Select(it => it["localPort"]!.ToString()));
        foreach (var artifact in skaffold.Artifacts)
        {
            var image = artifact["image"]!.ToString();
            var project = SkaffoldFile.ProjectOf(artifact);
            var name = image.Replace('-', '_').Replace('/', '_'); // Like skaffold.
            Assert.Equal(image, $"drone-delivery/{project.ToLowerInvariant()}");
            var workload = project == "Lab" ? "telemetry" : project.ToLowerInvariant();
            Assert.True(File.Exists(Path.Combine(Repository.Root, SkaffoldFile.PathOf(project))));
            Assert.Single(values, pair =>
                pair.Key.EndsWith($".{workload}.image.repository", StringComparison.Ordinal)
                && pair.Value!.ToString() == $"{{{{.IMAGE_REPO_{name}}}}}"
            );
            Assert.Single(values, pair =>
                pair.Key.EndsWith($".{workload}.image.tag", StringComparison.Ordinal)
                && pair.Value!.ToString() == $"{{{{.IMAGE_TAG_{name}}}}}@{{{{.IMAGE_DIGEST_{name}}}}}"
            );
        }

        Assert.Equal(
            skaffold.Artifacts.Select(it => it["image"]!.ToString()).Order(StringComparer.Ordinal),
            await ImagesOfOursAsync(skaffold)
        );
    }

    private static async Task<IEnumerable<string>> ImagesOfOursAsync(SkaffoldFile skaffold)
    {
        // infra/connect writes the names of a deployment.
        var files = skaffold
            .ValuesFiles.Select(file => file == "infra/values.json" ? $"{HelmChart.Folder}/ci/azure-names.yaml" : file)
            .SelectMany(file => new[] { "--values", file });
        var switches = skaffold
            .Values.Where(pair =>
                pair.Key == "images.registry" || pair.Key.EndsWith(".enabled", StringComparison.Ordinal)
            )
            .SelectMany(pair => new[] { "--set", $"{pair.Key}={pair.Value}" });
        return Yaml.Documents(await HelmChart.RenderAsync("", [.. files, .. switches]))
            .Where(it => it["kind"]!.ToString() == "Deployment")
            .Select(it => it["spec"]!["template"]!["spec"]!["containers"]![0]!["image"]!.ToString().Split(':')[0])
            .Where(image => image.StartsWith("drone-delivery/", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal);
    }

    [Fact]
    public async Task Every_file_that_an_image_is_built_from_is_watched()
    {
        foreach (var artifact in SkaffoldFile.With("gateway").Artifacts)
        {
            var watched = artifact["custom"]!["dependencies"]!["paths"]!.AsArray().Select(path => path!.ToString());
            var project = SkaffoldFile.ProjectOf(artifact);
            var projects = WithReferences(SkaffoldFile.PathOf(project)).Distinct();
            var inputs = await BuildInputs.OfAsync(project, "Compile", "Content", "EmbeddedResource");

            BuildInputs.AssertIn(watched, inputs.Concat(projects.Select(path => Path.Combine(Repository.Root, path))));
        }
    }

    private static IEnumerable<string> WithReferences(string project)
    {
        var file = Path.Combine(Repository.Root, project);
        return XDocument
            .Load(file)
            .Descendants("ProjectReference")
            .Select(reference => Path.GetFullPath(reference.Attribute("Include")!.Value, Path.GetDirectoryName(file)!))
            .Select(path => Path.GetRelativePath(Repository.Root, path))
            .SelectMany(WithReferences)
            .Prepend(project);
    }

    [Theory]
    // Without code compiled ahead of time.
    [InlineData("", "local", "drone-delivery/workflow:v1", "", "drone-delivery/workflow", "{here}")]
    [InlineData(
        "linux/arm64",
        "true",
        "a.azurecr.io/lab/workflow:v1",
        "-p:ContainerRegistry=a.azurecr.io ",
        "lab/workflow",
        "linux-arm64"
    )]
    [InlineData(
        "linux/amd64",
        "true",
        "localhost:5001/workflow:v1",
        "-p:ContainerRegistry=localhost:5001 ",
        "workflow",
        "linux-x64"
    )]
    public async Task Request_of_skaffold_is_passed_to_the_SDK(
        string platforms,
        string push,
        string image,
        string registry,
        string repository,
        string system
    )
    {
        var result = await BuildAsync(
            new()
            {
                ["IMAGE"] = image,
                ["PUSH_IMAGE"] = push,
                ["PLATFORMS"] = platforms,
            }
        );

        Assert.Equal(
            $"publish {Repository.Root}/services/Workflow/Workflow.csproj -c Release -t:PublishContainer -p:ContainerImageTag=v1 {registry}"
                + $"-p:ContainerRepository={repository} {(push == "true" ? "" : "-p:PublishReadyToRun=false ")}--runtime {system.Replace("{here}", Here, StringComparison.Ordinal)}",
            result.Output.Trim()
        );
    }

    [Theory]
    [InlineData("linux/amd64,linux/arm64", "false", "workflow:v1", "Specify linux/amd64 or linux/arm64")]
    [InlineData("", "true", "drone-delivery/workflow:v1", "--default-repo")]
    public async Task Unsupported_request_of_skaffold_is_rejected(
        string platforms,
        string push,
        string image,
        string expected
    )
    {
        var result = await BuildAsync(
            new()
            {
                ["IMAGE"] = image,
                ["PUSH_IMAGE"] = push,
                ["PLATFORMS"] = platforms,
            }
        );

        Assert.Equal(1, result.ExitCode);
        Assert.Contains(expected, result.Error, StringComparison.Ordinal);
    }

    private static async Task<Result> BuildAsync(Dictionary<string, string> environment)
    {
        using var dotnet = await FakeTools.CreateAsync("#!/bin/sh\necho \"$@\"\n", "dotnet");
        return await Tool.TryAsync(
            "bash",
            ["build/skaffold-image", "Workflow"],
            environment: new(environment.Append(dotnet.Path))
        );
    }
}
