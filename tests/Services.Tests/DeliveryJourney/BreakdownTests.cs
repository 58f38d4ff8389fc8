using System.Buffers.Binary;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.DeliveryJourney;

/// <summary>Parts break while deliveries are on their way: each still arrives, once, with one drone.</summary>
[Trait("tier", "slow")]
public sealed class BreakdownTests
{
    private const int Deliveries = 100;

    [Fact]
    public async Task Connections_that_drop_and_a_Delivery_that_restarts_lose_nothing_and_assign_no_second_drone()
    {
        await using var application = await ApplicationUnderTest.StartAsync();

        var first = application.RequestAsync(0, Deliveries / 2);
        await CompletedAsync(application, Deliveries / 10);
        await DropConnectionsAsync(application);
        await CompletedAsync(application, Deliveries / 4);
        await application.StopAsync("delivery");
        var second = application.RequestAsync(Deliveries / 2, Deliveries);
        await Eventually.TrueAsync(async () => (await application.Workflow.CheckAsync("backends")).Status == "Degraded");
        await DropConnectionsAsync(application);
        application.Start("delivery");

        await AssertAllDeliveredAsync(application, [.. await first, .. await second]);
    }

    [Fact]
    public async Task A_connection_that_is_lost_while_a_pause_begins_does_not_end_Workflow()
    {
        await using var application = await ApplicationUnderTest.StartAsync();
        await application.StopAsync("delivery");
        var drains = 0;
        application.Broker.CutAt(written => IsDrain(written) && Interlocked.Increment(ref drains) == 1);

        var requests = application.RequestAsync(0, Deliveries);
        await Eventually.TrueAsync(() => drains > 0);
        application.Start("delivery");

        await AssertAllDeliveredAsync(application, await requests);
    }

    [Fact]
    public async Task A_Workflow_and_a_Delivery_that_are_killed_lose_nothing_and_assign_no_second_drone()
    {
        await using var application = await ApplicationUnderTest.StartAsync();
        await application.StopWorkflowAsync();
        await application.StopAsync("delivery");
        await using var delivery = ServiceProcess.Start(
            "Delivery", application.DeliverySettings, application.AddressOf("delivery").Port, inLab: true);
        await using var workflow = ServiceProcess.Start(
            "Workflow", application.WorkflowSettings.And("Workflow:HoldDuringOutage", "false"));
        await delivery.ReadyAsync();

        var first = application.RequestAsync(0, Deliveries / 2);
        await CompletedAsync(application, Deliveries / 10);
        await delivery.KillAsync();
        // However fast the first half went: without Delivery these stay with Workflow, locked, until it is killed too.
        var second = application.RequestAsync(Deliveries / 2, Deliveries);
        await Eventually.TrueAsync(() => application.Queue.Counts.Locked > 0);
        await workflow.KillAsync();
        application.Start("delivery");
        application.StartWorkflow();

        await AssertAllDeliveredAsync(application, [.. await first, .. await second]);
        Assert.True(application.Queue.Counts.Redelivered > 0);
    }

    private static Task CompletedAsync(ApplicationUnderTest application, int count) =>
        Eventually.TrueAsync(() => application.Queue.Counts.Completed >= count, $"{count} completed");

    private static async Task DropConnectionsAsync(ApplicationUnderTest application)
    {
        using var http = application.Queue.Broker.CreateHttpClient();
        using var response = await http.SendAsync(HttpMethod.Post, "/$connections/drop");
        response.EnsureSuccessStatusCode();
    }

    /// <summary>An AMQP flow (0x13) whose last fields that are set say drain (0x41: true), as the SDK writes it when it closes.</summary>
    private static bool IsDrain(ReadOnlyMemory<byte> written)
    {
        for (var frames = written.Span; frames.Length > 11;)
        {
            var size = BinaryPrimitives.ReadInt32BigEndian(frames);
            if (size < 12 || size > frames.Length)
                return false;
            if (frames[10] == 0x13 && frames[11..size].IndexOf((byte)0x41) > 0)
                return true;
            frames = frames[size..];
        }
        return false;
    }

    private static async Task AssertAllDeliveredAsync(ApplicationUnderTest application, Uri[] locations)
    {
        await application.DeliveredAsync(locations);
        Assert.Equal(application.Queue.Counts.Incoming, application.Queue.Counts.Completed);

        for (var i = 0; i < Deliveries; i++)
        {
            var drone = await application.DroneScheduler.GetAsync<DroneAssignment>($"/api/dronedeliveries/order-{i}");
            var delivery = await application.Delivery.GetAsync<DeliveryDetails>($"/api/deliveries/order-{i}");
            Assert.Equal((drone.DroneId, drone.FlightPlan), (delivery.DroneId, delivery.FlightPlan));
        }
        Assert.Equal(Deliveries, await application.BookedFlightsAsync());
    }
}
