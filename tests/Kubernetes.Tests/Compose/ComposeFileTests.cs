using System.Text.Json;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Kubernetes.Tests.Compose;

/// <summary><c>compose.yaml</c>; no engine runs here, so it is held against everything that it names.</summary>
public sealed class ComposeFileTests
{
    private const string OurImages = "drone-delivery/", Tag = ":compose";

    [Fact]
    public void It_follows_the_specification() => Assert.Empty(ComposeFile.Mistakes(ComposeFile.Read()));

    [Theory]
    [InlineData("services: { a: { image: a:1, restarts: no } }", "a.restarts: unknown")]
    [InlineData("services: { a: { image: a:1, restart: maybe } }", "a.restart: \"maybe\"")]
    [InlineData("services: { a: { image: a:1, ports: ['80:80'] } }", "a.ports: [\"80:80\"]")]
    [InlineData("services: { a: { image: a:1, depends_on: [b] } }", "a.depends_on: there is no b")]
    [InlineData("services: { a: { image: a:1, depends_on: { b: { condition: service_started } } } }", "a.depends_on: there is no b")]
    [InlineData(
        "services: { a: { image: a:1, depends_on: { a: { condition: healthy } } } }", "a.depends_on: {\"a\":{\"condition\":\"healthy\"}}")]
    [InlineData("services: { a: { image: a:1, volumes: ['b:/data'] } }", "a.volumes: there is no b")]
    [InlineData("services: { a: { image: a:1, healthcheck: { test: [ask] } } }", "a.healthcheck: {\"test\":[\"ask\"]}")]
    [InlineData("services: { a: { restart: always } }", "a: no image")]
    [InlineData("service: {}\nservices: {}", "service: unknown")]
    public void A_mistake_in_such_a_file_is_found(string yaml, string expected) =>
        Assert.Equal([expected], ComposeFile.Mistakes(Yaml.Documents(yaml).Single()));

    [Fact]
    public void It_runs_the_five_services_on_the_ports_of_the_lab_and_the_broker_and_Redis()
    {
        var services = ComposeFile.Read().Services().ToDictionary();
        var ports = new Ports(0);

        Assert.Equal(Service.All.Select(service => service.Name).Append("redis").Append("servicebus").Order(), services.Keys.Order());
        Assert.All(
            Service.All,
            service => Assert.Equal([$"127.0.0.1:{ports.Of(service, 0)}:8080"], services[service.Name].Texts("ports")));
        Assert.Equal([$"127.0.0.1:{ports.Broker}:5672"], services["servicebus"].Texts("ports"));
    }

    /// <summary>A variable that no option has would stop the process, or do nothing.</summary>
    [Fact]
    public void Every_variable_is_an_option_of_its_service_or_names_a_service_that_it_calls()
    {
        var file = ComposeFile.Read();
        foreach (var service in Service.All)
        {
            var variables = file["services"]![service.Name]!["environment"]!.AsObject()
                .Select(pair => (pair.Key, $"{pair.Value}")).ToList();
            Assert.NotEmpty(variables);
            var calls = service.Calls.Select(called => ($"Services__{called.Name}__0", $"http://{called.Name}:8080"));
            Assert.Empty(calls.Except(variables));
            Assert.All(variables.Except(calls), variable => Assert.True(IsOption(service, variable.Item1), $"{service.Name}: {variable}"));
        }
    }

    [Fact]
    public async Task The_script_builds_the_images_that_it_runs()
    {
        var images = ComposeFile.Read().Services().Select(service => $"{service.Value["image"]}")
            .Where(image => image.StartsWith(OurImages, StringComparison.Ordinal)).ToList();

        var built = await BuiltAsync();

        Assert.All(images, image => Assert.EndsWith(Tag, image, StringComparison.Ordinal));
        Assert.Equal(images.Order(), built.Order());
    }

    private static bool IsOption(Service service, string variable)
    {
        var file = JsonNode.Parse(
            File.ReadAllText(Path.Combine(Repository.Root, "services", service.Project, "appsettings.json")),
            documentOptions: new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip });
        return variable.Split("__") is [var section, var option] && file![section]?.AsObject().ContainsKey(option) is true;
    }

    /// <summary>Runs the script with a <c>dotnet</c> that says what it was asked for.</summary>
    private static async Task<IEnumerable<string>> BuiltAsync()
    {
        var folder = Directory.CreateTempSubdirectory("compose-images").FullName;
        try
        {
            var dotnet = Path.Combine(folder, "dotnet");
            await File.WriteAllTextAsync(dotnet, "#!/bin/sh\necho \"$@\"\n", TestContext.Current.CancellationToken);
            await Tool.RunAsync("chmod", ["+x", dotnet]);
            var environment = new Dictionary<string, string> { ["PATH"] = $"{folder}:{Environment.GetEnvironmentVariable("PATH")}" };
            var output = await Tool.RunAsync("bash", ["build/compose-images"], environment: environment);
            return output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(line => line.Split(' '))
                .Select(words => $"{Value(words, "ContainerRepository")}:{Value(words, "ContainerImageTag")}");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string Value(string[] words, string property) =>
        words.Single(word => word.StartsWith($"-p:{property}=", StringComparison.Ordinal)).Split('=')[1];
}
