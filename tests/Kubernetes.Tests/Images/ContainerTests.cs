using System.Net;
using DroneDelivery.Lab.Load;
using DroneDelivery.Testing;

namespace DroneDelivery.Kubernetes.Tests.Images;

/// <summary>
/// Images of two services, built as skaffold builds them, in containers with the restrictions of the chart.
/// </summary>
public sealed class ContainerTests
{
    // Longer than a service needs to start while three suites run, so only a hanging one fails.
    private static readonly TimeSpan StartLimit = TimeSpan.FromMinutes(5);

    [Fact]
    [Trait("tier", "slow")]
    public async Task Images_accept_a_delivery_with_the_restrictions_of_the_chart()
    {
        Tool.Require("podman", "runc");
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Containers need root, so this was not checked.");
        Assert.SkipUnless(BaseImage.CanBeMade, "The base image needs Debian's x64 libraries, so this was not checked.");
        var manifests = await HelmChart.RenderAsync(
            "values-local.yaml",
            "--set",
            "images.registry=localhost/,images.tag=check"
        );
        using var brokerPort = new ReservedPort();
        using var ingestionPort = new ReservedPort();
        using var http = Loopback.CreateClient();
        await using var podman = new Podman(manifests);
        await using (var registry = await BaseImageRegistry.StartAsync(BaseImage.OfThisMachine()))
        {
            await podman.BuildAsync("servicebus", "ServiceBus", registry.Image);
            await podman.BuildAsync("ingestion", "Ingestion", registry.Image);
        }

        var broker = await podman.RunAsync("servicebus", new() { ["ServiceBus__Port"] = $"{brokerPort.Number}" });
        var connection =
            $"Endpoint=sb://localhost:{brokerPort.Number};SharedAccessKeyName=RootManageSharedAccessKey;"
            + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";
        var ingestion = await podman.RunAsync(
            "ingestion",
            new()
            {
                ["ASPNETCORE_URLS"] = $"http://127.0.0.1:{ingestionPort.Number}",
                ["ServiceBus__ConnectionString"] = connection,
            }
        );
        var address = new Uri($"http://127.0.0.1:{ingestionPort.Number}");
        await UntilReadyAsync(http, address, podman, ingestion);
        using var request = DeliveryRequests.Load().Create("1");
        using var response = await http.PostAsync(
            new Uri(address, "api/deliveryrequests"),
            request,
            TestContext.Current.CancellationToken
        );

        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        Assert.Equal(0, await podman.StopAsync(ingestion, "ingestion"));
        Assert.Equal(0, await podman.StopAsync(broker, "servicebus"));
    }

    private static async Task UntilReadyAsync(HttpClient http, Uri address, Podman podman, string container)
    {
        try
        {
            await Eventually.TrueAsync(() => IsReadyAsync(http, address), StartLimit);
        }
        catch (Exception exception)
        {
            throw new InvalidOperationException(await podman.LogAsync(container), exception);
        }
    }

    private static async Task<bool> IsReadyAsync(HttpClient http, Uri address)
    {
        try
        {
            using var response = await http.GetAsync(
                new Uri(address, "health/ready"),
                TestContext.Current.CancellationToken
            );
            return response.IsSuccessStatusCode;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }
}
