using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace DroneDelivery.Kubernetes.Tests.Images;

/// <summary>
/// Evaluates the images that the SDK would build, because building them requires a container engine or a registry.
/// </summary>
public sealed partial class ImageTests
{
    public static TheoryData<string> Projects =>
        ["Ingestion", "Workflow", "Package", "DroneScheduler", "Delivery", "Gateway", "ServiceBus", "Lab"];

    [Theory, MemberData(nameof(Projects))]
    public async Task Image_is_small_rootless_labeled_and_matches_the_chart(string project)
    {
        var image = await BuildInputs.EvaluateAsync(project);
        var properties = image["Properties"]!;

        Assert.Matches(
            "^mcr.microsoft.com/dotnet/aspnet:10.0-noble-chiseled@sha256:",
            $"{properties["ContainerBaseImage"]}"
        );
        Assert.Equal("1654", properties["ContainerUser"]!.ToString()); // A kubelet can't verify that a name isn't root.
        Assert.Equal($"drone-delivery/{project.ToLowerInvariant()}", properties["ContainerRepository"]!.ToString());
        Assert.Equal(["dotnet", $"/app/DroneDelivery.{project}.dll"], Items(image, "ContainerAppCommand").Keys);
        var labels = Items(image, "ContainerLabel");
        Assert.Equal(
            (project, "MIT"),
            (labels["org.opencontainers.image.title"], labels["org.opencontainers.image.licenses"])
        );
        Assert.DoesNotContain("org.opencontainers.image.created", labels.Keys);

        var workload = project == "Lab" ? "telemetry" : project.ToLowerInvariant();
        var manifests = await HelmChart.RenderAsync(
            $"values-local.yaml {HelmChart.OptionalServices}",
            "--set",
            "images.registry="
        );
        var container = Manifests.Container(manifests, workload);

        Assert.Equal($"drone-delivery/{project.ToLowerInvariant()}", container["image"]!.ToString().Split(':')[0]);
        Assert.Equal([container["ports"]![0]!["containerPort"]!.ToString()], Items(image, "ContainerPort").Keys);
        var told = Manifests.Environment(container);
        Assert.All(Items(image, "ContainerEnvironmentVariable"), own => Assert.Equal(own.Value, told[own.Key]));
    }

    [Fact]
    public async Task Third_party_images_are_pinned_by_digest()
    {
        var manifests = await HelmChart.RenderAsync($"values-local.yaml {HelmChart.OptionalServices}");
        var files = new[]
        {
            "build/Dockerfile",
            "infra/connect",
            "k8s/load-test.yaml",
            "k8s/load-test-operator.yaml",
        }.Select(file => File.ReadAllText(Path.Combine(Repository.Root, file)));

        var images = files
            .Prepend(manifests)
            .SelectMany(text => Image().Matches(text))
            .Select(match => match.Value)
            .Distinct()
            .ToList();
        Assert.Equal(6, images.Count);
        Assert.All(images, image => Assert.Matches("@sha256:[0-9a-f]{64}$", image));
    }

    [Fact]
    public async Task Dockerfile_of_the_broker_copies_all_inputs_of_its_build()
    {
        var copied = File.ReadLines(Path.Combine(Repository.Root, "build", "Dockerfile"))
            .Where(line =>
                line.StartsWith("COPY ", StringComparison.Ordinal) && !line.Contains("--from", StringComparison.Ordinal)
            )
            .SelectMany(line => line.Split(' ')[1..^1]);

        BuildInputs.AssertIn(
            copied,
            await BuildInputs.OfAsync("ServiceBus", "Compile", "Content", "AdditionalFiles", "EditorConfigFiles")
        );
    }

    [Fact]
    public async Task Copy_of_the_services_contains_what_its_projects_include()
    {
        using var own = new OwnFolder();
        await Tool.RunAsync("bash", ["build/copy-services", own.Path]);
        var projects = Directory.GetFiles(own.Path, "*.csproj", SearchOption.AllDirectories);

        Assert.Contains(projects, project => project.EndsWith("Services.Tests.csproj", StringComparison.Ordinal));
        Assert.All(projects, project => Assert.All(IncludedBy(project), path => Assert.True(Path.Exists(path), path)));
    }

    /// <summary>Runs the copy's tests that read files, and those of one service.</summary>
    [Fact]
    [Trait("tier", "nightly")]
    public async Task Copy_of_the_services_builds_and_passes_its_tests()
    {
        using var own = new OwnFolder();
        var copy = own.Path;
        await Tool.RunAsync("bash", ["build/copy-services", copy]);
        string[] evaluate =
        [
            "msbuild",
            Path.Combine(copy, SkaffoldFile.PathOf("Workflow")),
            "-getProperty:ContainerBaseImage",
        ];
        Assert.Matches(Image(), await Tool.RunAsync(Repository.Dotnet, evaluate));
        string[] build =
        [
            "build",
            Path.Combine(copy, "DroneDelivery.slnx"),
            "-c",
            "Release",
            "-tl:off",
            "-p:RunAnalyzers=false",
        ];
        await Tool.RunAsync(Repository.Dotnet, build);
        var tests = Path.Combine(copy, "artifacts", "bin", "Services.Tests", "release", "DroneDelivery.Services.Tests");
        await Tool.RunAsync(
            tests,
            ["-class", "*.DashboardTests", "-class", "*.AppSettingsTests", "-class", "*.PackagesApiTests"]
        );
    }

    [Fact]
    public async Task Only_images_are_compiled_ahead_of_time()
    {
        string[] evaluate =
        [
            "msbuild",
            "services/Workflow/Workflow.csproj",
            "-p:Configuration=Release",
            "-getProperty:PublishReadyToRun",
        ];

        // build/skaffold-image specifies the runtime identifier.
        Assert.Equal(
            "true",
            (await Tool.RunAsync(Repository.Dotnet, [.. evaluate, "-p:RuntimeIdentifier=linux-x64"])).Trim()
        );
        Assert.Equal("", (await Tool.RunAsync(Repository.Dotnet, evaluate)).Trim());
    }

    /// <summary>Returns the files and projects that a project names, and the folders of its patterns.</summary>
    private static IEnumerable<string> IncludedBy(string project) =>
        XDocument
            .Load(project)
            .Descendants()
            .Where(element =>
                element.Name.LocalName is "ProjectReference" or "Compile" or "Content" or "EmbeddedResource"
            )
            .Select(element => element.Attribute("Include")?.Value)
            .OfType<string>()
            .SelectMany(include => include.Split(';'))
            .Select(include => Pattern().Replace(include, ""))
            .Select(include => Path.Combine(Path.GetDirectoryName(project)!, include));

    private static Dictionary<string, string> Items(JsonNode image, string item) =>
        image["Items"]![item]!
            .AsArray()
            .ToDictionary(it => it!["Identity"]!.ToString(), it => it!["Value"]?.ToString() ?? "");

    [GeneratedRegex(@"[^/]*[*$].*$")]
    private static partial Regex Pattern();

    [GeneratedRegex(@"(?:docker\.io|ghcr\.io|mcr\.microsoft\.com)/[\w./:@-]+")]
    private static partial Regex Image();
}
