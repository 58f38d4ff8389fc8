using System.Globalization;
using DroneDelivery.Contracts;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class CancelAndRescheduleTests
{
    [Fact]
    public async Task Rejected_cancel_keeps_the_drone()
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

    [Theory]
    [InlineData(-20, false)]
    [InlineData(-1, true)] // The clocks of replicas differ.
    [InlineData(1, true)]
    public async Task Change_that_was_accepted_before_its_delivery_is_dropped(int secondsLater, bool isApplied)
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        var accepted = new DateTimeOffset(2030, 1, 1, 9, 0, 0, TimeSpan.Zero);
        var changed = accepted.AddSeconds(secondsLater).ToString("O", CultureInfo.InvariantCulture);
        await workflow.Queue.SendAsync(
            new[] { "order-1", "order-2" }.Select(id =>
                QueueMessages.Delivery(
                    SampleRequests.Delivery(id),
                    accepted.ToString("O", CultureInfo.InvariantCulture)
                )
            )
        );
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 2);

        await workflow.Queue.SendAsync(
            QueueMessages.Cancel("order-1", changed),
            QueueMessages.Reschedule(new() { DeliveryId = "order-2", Deadline = accepted.AddYears(1) }, changed)
        );

        await Eventually.TrueAsync(() => workflow.Queue.Counts is { Completed: 4, DeadLettered: 0 });
        Assert.Equal(
            (isApplied, isApplied),
            (
                workflow.Backends.CancelledDeliveries.ContainsKey("order-1"),
                workflow.Backends.Reschedules.ContainsKey("order-2")
            )
        );
    }

    [Fact]
    public async Task Change_of_a_missing_delivery_is_dropped_after_a_day()
    {
        var time = WorkflowUnderTest.CreateTime();
        // Duplicate detection must not drop a retry.
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:RetryDelay"] = "00:05:00", ["Workflow:Supervisor:Enabled"] = "true" },
            queue => queue with { RequiresDuplicateDetection = true },
            time: time
        );

        await workflow.Queue.SendAsync(
            QueueMessages.Cancel("nobody-1"),
            QueueMessages.Cancel("nobody-2"),
            QueueMessages.Reschedule(
                new() { DeliveryId = "nobody-3", Deadline = new(2031, 1, 1, 0, 0, 0, TimeSpan.Zero) }
            )
        );

        // 5, 10, 20, … minutes: the ninth delay ends after more than a day.
        for (var waits = 1; waits <= 9; waits++)
        {
            await Eventually.TrueAsync(() =>
                workflow.Queue.Counts is { Scheduled: 3 } counts && counts.Completed == 3 * waits
            );
            time.Advance(TimeSpan.FromMinutes(5 << (waits - 1)));
        }
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 3 * 10);
        Assert.Equal(
            (0, 0, 0),
            (workflow.Queue.Counts.DeadLettered, workflow.Queue.Failed, workflow.Queue.Counts.Scheduled)
        );
        await Eventually.TrueAsync(() => workflow.Host.Logs.With("Failed (GivenUp)").Count() == 3);
        var lines = workflow.Host.Logs.With("nobody-").ToList();
        Assert.Equal(
            3,
            lines.Count(line =>
                line.Contains("returned 404", StringComparison.Ordinal)
                && line.Contains("given up", StringComparison.Ordinal)
            )
        );
        // A warning and an event for the first delay and for the end.
        Assert.Equal(3, lines.Count(line => line.Contains("Postponed", StringComparison.Ordinal)));
        Assert.Equal(4 * 3, lines.Count);
    }

    [Fact]
    public async Task Postponed_cancel_reports_an_outage()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:RetryDelay"] = "00:00:00.001", ["Workflow:HoldDuringOutage"] = "true" }
        );
        var statuses = new Queue<int>([404, 503]);
        workflow.Backends.Answer(call =>
            call.Path == "/api/deliveries/order-1/status" && statuses.TryDequeue(out var status) ? status : null
        );

        await workflow.Queue.SendAsync(QueueMessages.Cancel("order-1"));

        await Eventually.TrueAsync(() => workflow.Host.Logs.With("returned 503").Any());
    }

    [Fact]
    public async Task Messages_for_missing_deliveries_do_not_delay_others()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new()
            {
                ["Workflow:RetryDelay"] = "00:05:00",
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
    public async Task Message_whose_postponement_fails_is_redelivered()
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
            new() { ["Workflow:RetryDelay"] = "00:05:00", ["Workflow:MaxAutoLockRenewalDuration"] = "00:00:00" }
        );

        await Eventually.TrueAsync(() => workflow.Host.Logs.With("Postpone of message order-1 failed").Any());
        queue.Update(options => options with { Status = EntityStatus.Active });
        brokerTime.Advance(TimeSpan.FromSeconds(30));

        await Eventually.TrueAsync(() => queue.Counts is { Completed: 1, Scheduled: 1 });
    }

    /// <summary>The broker redelivers the message, so a copy would multiply it.</summary>
    [Fact]
    public async Task Message_whose_lock_expired_is_not_postponed()
    {
        var brokerTime = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:MaxAutoLockRenewalDuration"] = "00:00:00", ["Workflow:RetryDelay"] = "00:05:00" },
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
        // Completed with its second delivery.
        await Eventually.TrueAsync(() => workflow.Queue.Counts is { Incoming: 2, Scheduled: 1, Completed: 1 });
    }

    [Fact]
    public async Task Change_waits_for_its_delivery_and_reaches_both_back_ends()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(new() { ["Workflow:RetryFor"] = "00:00:00" });
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
