using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class SupervisorTests
{
    private static readonly Dictionary<string, string?> On = new() { ["Workflow:Supervisor:Enabled"] = "true" };

    [Fact]
    public async Task Rejected_request_is_compensated_and_moved()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(On);
        Fail(workflow, "PUT /api/dronedeliveries/order-1", 422);
        var request = SampleRequests.Delivery("order-1");
        var message = QueueMessages.Delivery(request);
        message.ApplicationProperties[QueueMessage.FingerprintProperty] = "content-1";
        message.ApplicationProperties[QueueMessage.AttemptProperty] = 2L; // As some SDKs encode each integer.
        message.TimeToLive = TimeSpan.FromDays(14);

        await workflow.Queue.SendAsync(message);

        var failed = await workflow.Queue.TakeFailedAsync();
        Assert.Equal((message.Body.ToString(), TimeSpan.MaxValue), (failed.Body.ToString(), failed.TimeToLive));
        Assert.Equal(
            ("order-1", 3), // The number of the next attempt.
            (failed.CorrelationId, failed.ApplicationProperties[QueueMessage.AttemptProperty])
        );
        Assert.Equal("RequestRefused", failed.ApplicationProperties["deadLetterReason"]);
        Assert.Contains(
            "returned 422",
            (string)failed.ApplicationProperties["deadLetterDescription"],
            StringComparison.Ordinal
        );
        Assert.True(DateTimeOffset.TryParse((string)failed.ApplicationProperties["failedAt"], out _));
        var failure = workflow.Backends.Failures["order-1"];
        Assert.Equal(("owner-1", "content-1", 2), (failure.OwnerId, failure.Fingerprint, failure.Attempt));
        var undone = workflow.Backends.Calls.Select(call => $"{call.Method} {call.Path}").Skip(2).ToList();
        Assert.Equal("PUT /api/deliveries/order-1/failure", undone[0]);
        Assert.StartsWith("DELETE /api/dronedeliveries/order-1/requests/r", undone[1], StringComparison.Ordinal);
        Assert.StartsWith("DELETE /api/packages/package-order-1/requests/r", undone[2], StringComparison.Ordinal);
        await Eventually.TrueAsync(() => workflow.Queue.Counts.DeadLetter == 0);
    }

    [Fact]
    public async Task Failure_reason_for_clients_contains_no_address()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(On.And("Workflow:RetryFor", "00:00:00"));
        Fail(workflow, "PUT /api/dronedeliveries/order-1", 500);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        var failed = await workflow.Queue.TakeFailedAsync();
        Assert.Equal("HandlingFailed", failed.ApplicationProperties["deadLetterReason"]);
        var failure = workflow.Backends.Failures["order-1"].Failure;
        Assert.Equal(
            ("urn:drone-delivery:handling-failed", "The request could not be processed."),
            (failure.Reason, failure.Detail)
        );
    }

    /// <param name="drone">The problem type of DroneScheduler's rejection; <c>null</c> if it assigns a drone.</param>
    /// <param name="delivery">The problem type of Delivery's rejection, or <c>null</c>.</param>
    /// <param name="failure">The problem type of the rejected failure record, or <c>null</c>.</param>
    /// <param name="undone">
    /// The number of compensated parts; 0 to leave the request unchanged without a failed message.
    /// </param>
    [Theory]
    [InlineData(null, "recorded", "recorded", 0)]
    [InlineData(null, "other-request", "other-request", 2)]
    [InlineData("other-request", null, "recorded", 2)] // The response of an older version.
    public async Task Rejected_request_is_compensated_unless_already_recorded(
        string? drone,
        string? delivery,
        string failure,
        int undone
    )
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(On);
        workflow.Backends.Answer(call =>
        {
            var type = (call.Method, call.Path) switch
            {
                ("PUT", "/api/dronedeliveries/order-1") => drone,
                ("PUT", "/api/deliveries/order-1") => delivery,
                ("PUT", "/api/deliveries/order-1/failure") => failure,
                _ => null,
            };
            workflow.Backends.ProblemType = $"urn:drone-delivery:{type}";
            return type is null ? null : 409;
        });

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        await Eventually.TrueAsync(() => workflow.Queue.Counts is { DeadLettered: 1, DeadLetter: 0 });
        Assert.Equal(undone == 0 ? 0 : 1, workflow.Queue.Failed);
        Assert.Equal(undone, workflow.Backends.Calls.Count(call => call.Method == "DELETE"));
    }

    [Fact]
    public async Task Unreadable_message_and_cancel_move_to_the_failed_queue()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(On);
        var unreadable = new ServiceBusMessage("no JSON")
        {
            MessageId = "unreadable",
            ApplicationProperties = { [QueueMessage.OperationProperty] = QueueMessage.Delivery },
        };
        workflow.Backends.Statuses["order-2"] = new()
        {
            DeliveryId = "order-2",
            Stage = DeliveryStage.Completed,
            Events = [],
        };
        Fail(workflow, "DELETE /api/deliveries/order-2", 409);

        await workflow.Queue.SendAsync(unreadable, QueueMessages.Cancel("order-2"));

        var failed = new[] { await workflow.Queue.TakeFailedAsync(), await workflow.Queue.TakeFailedAsync() };
        Assert.Equal(["order-2", "unreadable"], failed.Select(message => message.MessageId).Order());
        Assert.Empty(workflow.Backends.Failures);
    }

    [Fact]
    public async Task Failed_reschedule_before_the_drone_moved_changes_nothing()
    {
        var request = SampleRequests.Delivery("order-1");
        await using var workflow = await StartWithAsync(request);
        Fail(workflow, "PATCH /api/dronedeliveries/order-1", 422);

        await workflow.Queue.SendAsync(
            QueueMessages.Reschedule(new() { DeliveryId = "order-1", PickupTime = request.PickupTime.AddHours(1) })
        );

        Assert.Equal(
            "RequestRefused",
            (await workflow.Queue.TakeFailedAsync()).ApplicationProperties["deadLetterReason"]
        );
        Assert.Single(workflow.Backends.Calls, call => call.Method == "PATCH");
    }

    [Fact]
    public async Task Rejected_reschedule_keeps_the_plan_of_a_concurrent_one()
    {
        var request = SampleRequests.Delivery("order-1");
        await using var workflow = await StartWithAsync(request);
        var mayReachDelivery = new TaskCompletionSource();
        var moves = 0;
        workflow.Backends.Interfere = async call =>
        {
            if (call is { Method: "PATCH", Path: "/api/deliveries/order-1" })
                await mayReachDelivery.Task;
            return
                call is { Method: "PATCH", Path: "/api/dronedeliveries/order-1" }
                && Interlocked.Increment(ref moves) == 2
                ? 422
                : null;
        };
        ServiceBusMessage LaterBy(int hours) =>
            QueueMessages.Reschedule(
                new() { DeliveryId = "order-1", PickupTime = request.PickupTime.AddHours(hours) },
                $"2030-01-01T09:00:0{hours}.0000000+00:00"
            );

        await workflow.Queue.SendAsync(LaterBy(hours: 1));
        await Eventually.TrueAsync(() => workflow.Backends.Drones["order-1"].Revision == 1);
        await workflow.Queue.SendAsync(LaterBy(hours: 2));
        var undone = workflow.Queue.TakeFailedAsync();
        await Eventually.TrueAsync(() => undone.IsCompleted || moves > 2);
        mayReachDelivery.SetResult();

        await undone;
        await Eventually.TrueAsync(() => workflow.Queue.Counts is { Completed: 2, DeadLetter: 0 });
        Assert.Equal(request.PickupTime.AddHours(1), workflow.Backends.Drones["order-1"].PickupTime);
        Assert.Equal(1, workflow.Backends.Reschedules["order-1"].Revision);
    }

    [Fact]
    public async Task Failed_compensation_is_retried_later()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(On);
        var failures = 2;
        workflow.Backends.Answer(call =>
            call is { Method: "PUT", Path: "/api/dronedeliveries/order-1" } ? 422
            : call.Method == "DELETE" && Interlocked.Decrement(ref failures) >= 0 ? 503
            : null
        );

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        var failed = await workflow.Queue.TakeFailedAsync();
        Assert.Equal("RequestRefused", failed.ApplicationProperties["deadLetterReason"]);
        await Eventually.TrueAsync(() => workflow.Queue.Counts.DeadLetter == 0);
        Assert.Equal(4, workflow.Backends.Calls.Count(call => call.Method == "DELETE"));
        Assert.Equal(0, workflow.Queue.Failed);
    }

    [Theory]
    [InlineData("PUT", "/api/deliveries/stuck", 422, 1)]
    [InlineData("DELETE", "/api/packages/package-stuck", 500, 3)]
    public async Task Uncompensated_dead_letter_moves_to_the_failed_queue(
        string method,
        string path,
        int status,
        int attempts
    )
    {
        var time = WorkflowUnderTest.CreateTime();
        await using var workflow = await WorkflowUnderTest.StartAsync(
            On.And(new() { ["Workflow:RetryDelay"] = "00:01:00", ["Workflow:RetryFor"] = "00:03:00" }),
            time: time
        );
        workflow.Backends.Answer(call =>
            call.Method == "PUT" && call.Path.StartsWith("/api/dronedeliveries/", StringComparison.Ordinal) ? 422
            : call.Method == method && call.Path.StartsWith(path, StringComparison.Ordinal) ? status
            : null
        );

        // More dead letters than the supervisor has handlers.
        await workflow.Queue.SendAsync(
            Enumerable.Range(0, 5).Select(i => QueueMessages.Delivery(SampleRequests.Delivery($"stuck-{i}")))
        );
        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => workflow.Queue.Failed >= 1 && workflow.Queue.Counts.DeadLetter == 0);
        for (var retry = 1; retry < attempts; retry++)
        {
            await Eventually.TrueAsync(() => workflow.Queue.Counts is { Scheduled: 5, DeadLetter: 0 });
            time.Advance(TimeSpan.FromMinutes(retry));
        }

        for (var i = 0; i < 6; i++)
        {
            var failed = await workflow.Queue.TakeFailedAsync();
            var isStuck = failed.CorrelationId!.StartsWith("stuck", StringComparison.Ordinal);
            Assert.Equal(isStuck ? "NotEnded" : "RequestRefused", failed.ApplicationProperties["deadLetterReason"]);
            var description = (string)failed.ApplicationProperties["deadLetterDescription"];
            Assert.Contains($"returned {(isStuck ? status : 422)}", description, StringComparison.Ordinal);
        }
        await Eventually.TrueAsync(() => workflow.Queue.Counts.DeadLetter == 0);
        Assert.Equal(5, workflow.Host.Logs.With("the message moved to the failed queue").Count());
        Assert.Equal(5 * (attempts - 1), workflow.Host.Logs.With("; retrying in").Count());
    }

    [Fact]
    public async Task Failed_request_succeeds_when_its_copy_is_resent_unchanged()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(On);
        var compensations = 0;
        workflow.Backends.Answer(call =>
            call is { Method: "PUT", Path: "/api/dronedeliveries/order-1" } ? 422
            : call.Method == "DELETE" && Interlocked.Increment(ref compensations) == 1 ? 503
            : null
        );
        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        var failed = await workflow.Queue.TakeFailedAsync();
        workflow.Backends.Answer(_ => null);

        await workflow.Queue.SendAsync(new ServiceBusMessage(failed));

        await Eventually.TrueAsync(() => workflow.Backends.Deliveries.ContainsKey("order-1"));
        Assert.Equal(
            (0, 1),
            (workflow.Backends.Failures["order-1"].Attempt, workflow.Backends.Deliveries["order-1"].Attempt)
        );
    }

    [Fact]
    public async Task Outage_does_not_end_a_compensation()
    {
        var (time, tick) = (WorkflowUnderTest.CreateTime(), TimeSpan.FromSeconds(0.1));
        await using var workflow = await WorkflowUnderTest.StartAsync(
            On.And(
                new()
                {
                    ["Workflow:HoldDuringOutage"] = "true",
                    ["Resilience:AttemptTimeout"] = "1.00:00:00", // The clock advances while calls are in progress.
                    ["Resilience:BreakerFailureRatio"] = "0.75",
                    ["Resilience:BreakerMinimumThroughput"] = "2",
                    ["Resilience:BreakerBreakDuration"] = "00:00:00.500",
                }
            ),
            // For a message that arrives while a processor stops.
            queue => queue with { LockDuration = TimeSpan.FromSeconds(5) },
            time: time
        );
        var isAway = false;
        workflow.Backends.Answer(call =>
        {
            if (call is not { Method: "PUT", Path: "/api/dronedeliveries/order-1" })
                return isAway ? 503 : null;
            isAway = true; // From the moment in which the request is rejected.
            return 422;
        });

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await AdvanceUntilAsync(() => workflow.Backends.Calls.Count(IsCompensation) == 4);
        isAway = false;
        var failed = workflow.Queue.TakeFailedAsync();
        await AdvanceUntilAsync(() => failed.IsCompleted);

        Assert.Equal("RequestRefused", (await failed).ApplicationProperties["deadLetterReason"]);
        Assert.Empty(workflow.Host.Logs.With("canceled"));

        Task AdvanceUntilAsync(Func<bool> condition) =>
            Progress.UntilAsync(
                () =>
                {
                    time.Advance(tick);
                    return Task.FromResult(condition());
                },
                () => workflow.Queue.Counts
            );

        static bool IsCompensation(FakeBackends.Call call) => call.Path.EndsWith("/failure", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Late_handler_of_a_failed_request_undoes_its_part()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(On);
        workflow.Backends.ProblemType = "urn:drone-delivery:failed";
        Fail(workflow, "PUT /api/dronedeliveries/order-1", 409);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        await Eventually.TrueAsync(() => workflow.Queue.Counts is { DeadLettered: 1, DeadLetter: 0 });
        // Those of the handler and of the supervisor.
        Assert.Equal(2 + 2, workflow.Backends.Calls.Count(call => call.Method == "DELETE"));
        Assert.Equal(0, workflow.Queue.Failed);
        Assert.Single(workflow.Backends.Failures);
    }

    /// <returns>Completes when the delivery is recorded.</returns>
    private static async Task<WorkflowUnderTest> StartWithAsync(DeliveryRequest request)
    {
        var workflow = await WorkflowUnderTest.StartAsync(On);
        await workflow.Queue.SendAsync(QueueMessages.Delivery(request));
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        return workflow;
    }

    private static void Fail(WorkflowUnderTest workflow, string call, int status) =>
        workflow.Backends.Interfere = made =>
            Task.FromResult<int?>($"{made.Method} {made.Path}" == call ? status : null);
}
