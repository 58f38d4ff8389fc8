using System.Globalization;
using System.Net;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.Receiving;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.Options;
using Settlement = DroneDelivery.Workflow.Receiving.Settlement;

namespace DroneDelivery.Services.Tests.Workflow;

/// <summary>The settlement for each kind of failure, with a manual clock.</summary>
public sealed class RecoverabilityTests
{
    private static readonly HttpRequestException Unavailable = new("No connection.");
    private static readonly PermanentFailureException NotRecorded = new("RequestRefused", "not yet")
    {
        Problem = new() { Status = 404 },
    };

    private readonly ManualTimeProvider _time = new();

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 2)]
    [InlineData(9, 512)]
    [InlineData(10, 1024)]
    [InlineData(99, 1024)]
    public void Delay_doubles_with_each_retry_up_to_a_limit(int retries, int seconds)
    {
        var message = Message(retries, failedFor: TimeSpan.FromHours(1));

        var retry = Assert.IsType<Settlement.Postpone>(With(new()).ChooseSettlement(Unavailable, message));

        Assert.Equal(TimeSpan.FromSeconds(seconds), retry.Delay);
        Assert.Equal(retries + 1, retry.Properties[QueueMessage.RetriesProperty]);
    }

    [Theory]
    [InlineData(HttpStatusCode.MovedPermanently)]
    [InlineData(HttpStatusCode.Unauthorized)]
    [InlineData(HttpStatusCode.RequestTimeout)]
    [InlineData(HttpStatusCode.TooManyRequests)]
    [InlineData(HttpStatusCode.InternalServerError)]
    [InlineData(HttpStatusCode.ServiceUnavailable)]
    public void Other_failures_are_retried_for_a_day_and_then_dead_lettered(HttpStatusCode status)
    {
        var (recoverability, failure) = (With(new()), new HttpRequestException("answered", null, status));
        var message = Message();
        for (var hour = 0; hour < 24; hour++)
        {
            message = Copy(Assert.IsType<Settlement.Postpone>(recoverability.ChooseSettlement(failure, message)));
            _time.Advance(TimeSpan.FromHours(1));
        }

        Assert.Equal(
            "HandlingFailed",
            Assert.IsType<Settlement.DeadLetter>(recoverability.ChooseSettlement(failure, message)).Reason
        );
    }

    [Fact]
    public void Internal_error_is_retried_too() =>
        Assert.IsType<Settlement.Postpone>(With(new()).ChooseSettlement(new InvalidOperationException(), Message()));

    [Fact]
    public void First_failure_dead_letters_without_retries()
    {
        var settlement = With(new() { RetryFor = TimeSpan.Zero }).ChooseSettlement(Unavailable, Message());

        Assert.Equal("HandlingFailed", Assert.IsType<Settlement.DeadLetter>(settlement).Reason);
    }

    [Fact]
    public void Interruption_does_not_count_as_a_failure()
    {
        var message = Message(retries: 3, failedFor: TimeSpan.FromDays(2));

        var settlement = With(new()).ChooseSettlement(new OperationCanceledException(), message);

        Assert.Equal(TimeSpan.FromSeconds(1), Assert.IsType<Settlement.Postpone>(settlement).Delay);
        Assert.Empty(settlement.Properties);
    }

    [Theory]
    [InlineData(QueueMessage.Cancel, "1.00:00:00")]
    [InlineData(QueueMessage.Reschedule, "00:00:00")] // Even without retries.
    public void Change_waits_a_day_for_its_delivery_and_is_then_dropped(string operation, string retryFor)
    {
        var recoverability = With(new() { RetryFor = TimeSpan.Parse(retryFor, CultureInfo.InvariantCulture) });
        var almost = TimeSpan.FromDays(1) - TimeSpan.FromTicks(1);

        var waits = recoverability.ChooseSettlement(NotRecorded, Message(5, almost, operation));
        var ends = recoverability.ChooseSettlement(NotRecorded, Message(5, TimeSpan.FromDays(1), operation));

        Assert.Equal(TimeSpan.FromSeconds(32), Assert.IsType<Settlement.Postpone>(waits).Delay);
        Assert.False(Assert.IsType<Settlement.Complete>(ends).IsDone);
    }

    [Fact]
    public void Problem_in_a_dead_letter_is_truncated_to_the_brokers_limit()
    {
        var problem = new ProblemDetails { Type = "urn:x", Detail = new('x', 100_000) };

        var settlement = With(new())
            .ChooseSettlement(new PermanentFailureException("RequestRefused", "no") { Problem = problem }, Message());

        Assert.Equal(4_096, ((string)settlement.Properties[Recoverability.ProblemDetail]).Length);
    }

    private ServiceBusReceivedMessage Message(
        int retries = 0,
        TimeSpan? failedFor = null,
        string operation = QueueMessage.Delivery
    )
    {
        var properties = new Dictionary<string, object> { [QueueMessage.OperationProperty] = operation };
        if (failedFor is { } duration)
        {
            properties[QueueMessage.RetriesProperty] = retries;
            properties[Recoverability.FirstFailureAt] = (_time.GetUtcNow() - duration).UtcDateTime;
        }
        return ServiceBusModelFactory.ServiceBusReceivedMessage(messageId: "order-1", properties: properties);
    }

    /// <summary>Returns the message with the properties that the settlement set.</summary>
    private static ServiceBusReceivedMessage Copy(Settlement settlement) =>
        ServiceBusModelFactory.ServiceBusReceivedMessage(
            messageId: "order-1",
            properties: new Dictionary<string, object>(settlement.Properties)
            {
                [QueueMessage.OperationProperty] = QueueMessage.Delivery,
            }
        );

    private Recoverability With(WorkflowOptions options) => new(Options.Create(options), _time);
}
