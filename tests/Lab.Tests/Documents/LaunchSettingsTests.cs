using System.Text.Json.Nodes;

namespace DroneDelivery.Lab.Tests.Documents;

/// <summary>
/// A service that is started in an editor uses the ports of <c>lab up</c>, so that the services find each other.
/// </summary>
public sealed class LaunchSettingsTests
{
    [Fact]
    public void Launch_settings_use_the_ports_of_the_lab() =>
        Assert.All([.. Service.All, .. Service.Optional], service =>
        {
            var file = JsonNode.Parse(
                File.ReadAllText(
                    Path.Combine(Repository.Root, "services", service.Project, "Properties", "launchSettings.json")
                )
            )!;

            var profile = Assert.Single(file["profiles"]!.AsObject()).Value!;
            var variables = profile["environmentVariables"]!
                .AsObject()
                .ToDictionary(pair => pair.Key, pair => $"{pair.Value}");
            Assert.Equal(UrlOf(service), $"{profile["applicationUrl"]}");
            (string, string)[] called =
                service == Service.Gateway
                    ? [("ReverseProxy__Clusters__ingestion__Destinations__0__Address", UrlOf(Service.Ingestion))]
                    : [.. service.Calls.Select(called => ($"services__{called.Name}__http__0", UrlOf(called)))];
            Assert.Equal(
                called,
                variables
                    .Where(it => Regex.IsMatch(it.Key, "^(services|ReverseProxy)__"))
                    .Select(it => (it.Key, it.Value))
            );
            if (variables.TryGetValue("ServiceBus__ConnectionString", out var connection))
            {
                var plan = new ApplicationPlan("", new Ports(0), KnobSet.Parse([]), DeclaredEnvironment.None, 1);
                Assert.Equal(plan.BrokerConnectionString, connection);
            }
        });

    [Fact]
    public void Development_container_forwards_the_ports_of_the_lab()
    {
        var file = JsonNode.Parse(
            File.ReadAllText(Path.Combine(Repository.Root, ".devcontainer", "devcontainer.json")),
            documentOptions: new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip }
        )!;
        var ports = new Ports(0);

        Assert.Equal(
            Service.All.Select(service => ports.Of(service, 0)).Append(ports.Broker).Append(ports.Collector).Order(),
            file["forwardPorts"]!.AsArray().Select(port => port!.GetValue<int>()).Order()
        );
    }

    private static string UrlOf(Service service) => $"http://localhost:{new Ports(0).Of(service, 0)}";
}
