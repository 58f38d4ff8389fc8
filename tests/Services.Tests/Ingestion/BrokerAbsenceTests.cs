using Azure.Messaging.ServiceBus;
using DroneDelivery.Ingestion;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Ingestion;

/// <summary>When the broker counts as away, by a clock that moves only when told.</summary>
public sealed class BrokerAbsenceTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly ManualTimeProvider _time = new();
    private readonly BrokerAbsence _broker;

    public BrokerAbsenceTests()
    {
        _broker = new(sendTimeout: 5 * Second, _time);
        _time.Advance(Second);
    }

    [Fact]
    public void One_send_each_second_tries_until_one_is_answered()
    {
        Fail(new OperationCanceledException());
        Assert.False(_broker.MayTry(out _));

        for (var i = 0; i < 2; i++)
        {
            _time.Advance(Second);
            Assert.True(_broker.MayTry(out var began));
            Assert.False(_broker.MayTry(out _));
            _time.Advance(3 * Second);
            Assert.False(_broker.MayTry(out _));
            _broker.Failed(new OperationCanceledException(), began);
        }
        _broker.Answered();

        Assert.True(_broker.MayTry(out _));
        Assert.True(_broker.MayTry(out _));
    }

    [Fact]
    public void A_send_that_ends_without_a_word_is_followed_by_another()
    {
        Fail(new OperationCanceledException());
        _time.Advance(Second);
        Assert.True(_broker.MayTry(out _));

        _time.Advance(6 * Second);

        Assert.True(_broker.MayTry(out _));
    }

    [Fact]
    public void A_send_that_fails_while_others_are_answered_fails_alone()
    {
        Assert.True(_broker.MayTry(out var slow));
        _time.Advance(Second);
        _broker.Answered();

        _broker.Failed(new OperationCanceledException(), slow);

        Assert.True(_broker.MayTry(out _));
    }

    [Theory]
    [InlineData(ServiceBusFailureReason.ServiceCommunicationProblem, false)]
    [InlineData(ServiceBusFailureReason.ServiceTimeout, false)]
    [InlineData(ServiceBusFailureReason.QuotaExceeded, true)]
    [InlineData(ServiceBusFailureReason.MessagingEntityNotFound, true)]
    public void Only_a_failure_of_the_connection_says_that_it_is_away(ServiceBusFailureReason reason, bool mayTry)
    {
        Fail(new ServiceBusException("As the test wants it.", reason));

        Assert.Equal(mayTry, _broker.MayTry(out _));
    }

    private void Fail(Exception exception)
    {
        Assert.True(_broker.MayTry(out var began));
        _broker.Failed(exception, began);
    }
}
