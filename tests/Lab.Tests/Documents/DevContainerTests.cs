using System.Text.Json.Nodes;

namespace DroneDelivery.Lab.Tests.Documents;

/// <summary>The development container forwards what <c>lab up</c> opens.</summary>
public sealed class DevContainerTests
{
    [Fact]
    public void It_forwards_the_ports_of_the_application_the_broker_and_the_live_page()
    {
        var file = JsonNode.Parse(
            File.ReadAllText(Path.Combine(Repository.Root, ".devcontainer", "devcontainer.json")),
            documentOptions: new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip })!;
        var ports = new Ports(0);

        Assert.Equal(
            Service.All.Select(service => ports.Of(service, 0)).Append(ports.Broker).Append(ports.Collector).Order(),
            file["forwardPorts"]!.AsArray().Select(port => port!.GetValue<int>()).Order());
    }
}
