using System.Globalization;
using DroneDelivery.Contracts;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class CancelAndRescheduleTests
{
    [Fact]
    public async Task A_cancel_that_Delivery_refuses_leaves_the_drone_and_what_is_cancelled_is_not_rescheduled()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        workflow.Backends.Answer(call => call is { Method: "DELETE", Path: "/api/deliveries/order-1" } ? 409 : null);

        await workflow.Queue.SendAsync(QueueMessages.Cancel("order-1"));
        Assert.Equal("RequestRefused", (await workflow.Queue.TakeDeadLetterAsync()).DeadLetterReason);
        Assert.False(workflow.Backends.Drones["order-1"].Cancelled);

        workflow.Backends.Answer(_ => null);
        await workflow.Queue.SendAsync(QueueMessages.Cancel("order-1"));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 2);
        await workflow.Queue.SendAsync(
            QueueMessages.Reschedule(
                new() { DeliveryId = "order-1", PickupTime = new(2031, 1, 1, 0, 0, 0, TimeSpan.Zero) }
            )
        );
        Assert.Equal("DeliveryOver", (await workflow.Queue.TakeDeadLetterAsync()).DeadLetterReason);
        Assert.DoesNotContain(workflow.Backends.Calls, call => call.Method == "PATCH");
    }

    [Fact]
    public async Task Requests_for_missing_deliveries_end_after_a_hundred_waits()
    {
        var ahead = new ManualTimeProvider(TimeProvider.System.GetUtcNow().AddHours(1)); // no wait is long for the broker
        // As Ingestion's queue may be: it must not take the message that is put off for one that it has seen.
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:PostponeDelay"] = "00:00:00.001", ["Workflow:Supervisor:Enabled"] = "true" },
            queue => queue with { RequiresDuplicateDetection = true },
            ahead
        );

        await workflow.Queue.SendAsync(
            QueueMessages.Cancel("nobody-1"),
            QueueMessages.Cancel("nobody-2"),
            QueueMessages.Reschedule(
                new() { DeliveryId = "nobody-3", Deadline = new(2031, 1, 1, 0, 0, 0, TimeSpan.Zero) }
            )
        );

        await Progress.UntilAsync(
            () => Task.FromResult(workflow.Queue.Counts.Completed + workflow.Queue.Counts.DeadLettered == 3 * 101),
            () => workflow.Queue.Counts
        );
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Failed));
        var lines = workflow.Host.Logs.With("nobody-").ToList();
        Assert.Equal(
            3,
            lines.Count(line =>
                line.Contains("answered 404", StringComparison.Ordinal)
                && line.Contains("given up", StringComparison.Ordinal)
            )
        );
        // A warning and an event, of the first wait and of the end.
        Assert.Equal(3, lines.Count(line => line.Contains("Postponed", StringComparison.Ordinal)));
        Assert.Equal(3, lines.Count(line => line.Contains("Failed (GivenUp)", StringComparison.Ordinal)));
        Assert.Equal(4 * 3, lines.Count);
    }

    [Fact]
    public async Task A_cancel_that_has_waited_says_when_it_meets_an_outage()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:PostponeDelay"] = "00:00:00.001", ["Workflow:HoldDuringOutage"] = "true" }
        );
        var statuses = new Queue<int>([404, 503]);
        workflow.Backends.Answer(call =>
            call.Method == "DELETE" && statuses.TryDequeue(out var status) ? status : null
        );

        await workflow.Queue.SendAsync(QueueMessages.Cancel("order-1"));

        await Eventually.TrueAsync(() => workflow.Host.Logs.With("answered 503").Any());
    }

    [Fact]
    public async Task Messages_that_wait_for_deliveries_nobody_knows_hold_up_no_other()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new()
            {
                ["Workflow:AbandonDelay"] = "00:00:00",
                ["Workflow:PostponeDelay"] = "00:05:00",
                ["Workflow:MaxConcurrentCalls"] = "2",
                ["Workflow:PrefetchCount"] = "0",
            }
        );

        await workflow.Queue.SendAsync(
            QueueMessages.Cancel("nobody"),
            QueueMessages.Cancel("no-other"),
            QueueMessages.Delivery(SampleRequests.Delivery("order-1"))
        );

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 3);
        Assert.True(workflow.Backends.Deliveries.ContainsKey("order-1"));
        Assert.Equal(
            (2, 0, 0),
            (workflow.Queue.Counts.Scheduled, workflow.Queue.Counts.Abandoned, workflow.Queue.Counts.DeadLettered)
        );
    }

    [Fact]
    public async Task A_message_that_cannot_be_put_off_is_not_lost()
    {
        var brokerTime = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var queue = await QueueUnderTest.StartAsync(
            options => options with { LockDuration = TimeSpan.FromSeconds(30) },
            brokerTime
        );
        await using var backends = await FakeBackends.StartAsync();
        await queue.SendAsync(QueueMessages.Cancel("order-1"));
        queue.Update(options => options with { Status = EntityStatus.SendDisabled });
        await using var workflow = WorkflowUnderTest.Start(
            queue,
            backends,
            new() { ["Workflow:PostponeDelay"] = "00:05:00", ["Workflow:MaxAutoLockRenewalDuration"] = "00:00:00" }
        );

        await Eventually.TrueAsync(() => workflow.Host.Logs.With("Postpone of message order-1 failed").Any());
        queue.Update(options => options with { Status = EntityStatus.Active });
        brokerTime.Advance(TimeSpan.FromSeconds(30));

        await Eventually.TrueAsync(() => queue.Counts is { Completed: 1, Scheduled: 1 });
    }

    /// <summary>It is delivered again by itself; a copy each time would multiply it.</summary>
    [Fact]
    public async Task A_message_whose_lock_has_ended_is_not_postponed()
    {
        var brokerTime = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:MaxAutoLockRenewalDuration"] = "00:00:00", ["Workflow:PostponeDelay"] = "00:05:00" },
            queue => queue with { LockDuration = TimeSpan.FromSeconds(30) },
            brokerTime
        );
        var answer = new TaskCompletionSource<int?>();
        workflow.Backends.Interfere = _ => answer.Task;
        await workflow.Queue.SendAsync(QueueMessages.Cancel("order-1"));
        await Eventually.TrueAsync(() => workflow.Backends.Running == 1);

        brokerTime.Advance(TimeSpan.FromSeconds(30));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.ExpiredLocks == 1);
        answer.SetResult(null);

        await Eventually.TrueAsync(() => workflow.Host.Logs.With("Postpone of message order-1 failed").Any());
        await Eventually.TrueAsync(() => workflow.Queue.Counts is { Incoming: 2, Scheduled: 1, Completed: 1 }); // by its second delivery
    }

    [Fact]
    public async Task A_cancel_and_a_reschedule_wait_for_their_delivery_and_the_second_and_when_it_was_accepted_reach_both_back_ends()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:FailurePolicy"] = "DeadLetter" }
        );
        const string Accepted = "2030-01-01T09:00:00.1234567+00:00";
        var changes = new RescheduleRequest
        {
            DeliveryId = "order-1",
            DropOffLocation = new() { Latitude = 47.5, Longitude = -122.2 },
            Deadline = new(2030, 2, 1, 8, 0, 0, TimeSpan.Zero),
        };

        await workflow.Queue.SendAsync(QueueMessages.Reschedule(changes, Accepted), QueueMessages.Cancel("order-2"));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed >= 2);
        await workflow.Queue.SendAsync(
            new[] { "order-1", "order-2" }.Select(id => QueueMessages.Delivery(SampleRequests.Delivery(id)))
        );

        await Eventually.TrueAsync(() => workflow.Backends.Drones.GetValueOrDefault("order-2") is { Cancelled: true });
        Assert.True(workflow.Backends.CancelledDeliveries.ContainsKey("order-2"));
        await Eventually.TrueAsync(() => workflow.Backends.Reschedules.ContainsKey("order-1"));
        var (drone, accepted) = (
            workflow.Backends.Drones["order-1"],
            DateTimeOffset.Parse(Accepted, CultureInfo.InvariantCulture)
        );
        Assert.Equal(
            new DeliveryReschedule
            {
                Pickup = drone.FlightPlan.Pickup,
                Dropoff = changes.DropOffLocation,
                PickupTime = drone.PickupTime,
                Deadline = changes.Deadline,
                DroneId = drone.DroneId,
                FlightPlan = drone.FlightPlan,
                Revision = drone.Revision,
                AcceptedAt = accepted,
            },
            workflow.Backends.Reschedules["order-1"]
        );
        Assert.Equal((changes.DropOffLocation, accepted), (drone.FlightPlan.Dropoff, drone.Accepted!.PickupTime));
    }
}
