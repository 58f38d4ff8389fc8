using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class HealthTests
{
    [Fact]
    public async Task It_is_ready_once_the_broker_has_answered_and_says_when_it_does_not()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        await Eventually.TrueAsync(() => IsOkAsync(workflow, "/health/ready"));
        var port = workflow.Queue.Broker.Broker.Address.Port;

        await workflow.Queue.Broker.DisposeAsync();
        await Eventually.TrueAsync(async () => await CheckAsync(workflow, "queue") == "Degraded The queue cannot be read.");
        Assert.True(await IsOkAsync(workflow, "/health/ready"), "A broker that is away is away for every replica.");
        Assert.True(await IsOkAsync(workflow, "/health/live"), "A broker that is away is no reason for a restart.");

        await using var again = await BrokerFixture.StartAsync(new() { Port = port }, TestContext.Current.CancellationToken);
        again.CreateQueue(name: workflow.Queue.Settings["ServiceBus:QueueName"]);
        await Eventually.TrueAsync(async () => await CheckAsync(workflow, "queue") == "Healthy ");
    }

    [Fact]
    public async Task It_says_that_failed_requests_have_no_queue_until_they_have_one()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:Supervisor:Enabled"] = "true", ["ServiceBus:FailedQueueName"] = "nowhere" });
        await Eventually.TrueAsync(() => IsOkAsync(workflow, "/health/ready"));

        await workflow.Queue.SendAsync(QueueMessages.Message("nonsense", "order-1", new { }));
        const string Missing = "Degraded The queue of failed requests cannot be found, so dead letters stay.";
        await Eventually.TrueAsync(async () => await CheckAsync(workflow, "failed-queue") == Missing);
        workflow.Queue.Broker.CreateQueue(name: "nowhere");

        await Eventually.TrueAsync(async () => await CheckAsync(workflow, "failed-queue") == "Healthy ");
        await Eventually.TrueAsync(() => workflow.Queue.Counts.DeadLetter == 0);
    }

    [Fact]
    public async Task It_starts_without_a_broker_and_is_not_ready()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(new()
        {
            ["ServiceBus:ConnectionString"] =
                "Endpoint=sb://127.0.0.1:1;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true",
        });

        Assert.False(await IsOkAsync(workflow, "/health/ready"));
        Assert.True(await IsOkAsync(workflow, "/health/live"));
    }

    private static async Task<string> CheckAsync(WorkflowUnderTest workflow, string name)
    {
        var report = await workflow.Http.GetFromJsonAsync<JsonElement>("/health/ready", TestContext.Current.CancellationToken);
        var check = report.GetProperty("checks").GetProperty(name);
        return $"{check.GetProperty("status")} {(check.TryGetProperty("description", out var description) ? description : "")}";
    }

    private static async Task<bool> IsOkAsync(WorkflowUnderTest workflow, string path)
    {
        using var response = await workflow.Http.GetAsync(new Uri(path, UriKind.Relative), TestContext.Current.CancellationToken);
        return response.StatusCode == HttpStatusCode.OK;
    }
}
