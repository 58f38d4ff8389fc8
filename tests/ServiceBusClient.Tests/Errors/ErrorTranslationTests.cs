using System.Net.Sockets;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus.Tests.Errors;

public sealed class ErrorTranslationTests
{
    [Theory]
    [InlineData("com.microsoft:timeout", ServiceBusFailureReason.ServiceTimeout, true)]
    [InlineData("com.microsoft:server-busy", ServiceBusFailureReason.ServiceBusy, true)]
    [InlineData("com.microsoft:message-lock-lost", ServiceBusFailureReason.MessageLockLost, false)]
    [InlineData("com.microsoft:session-lock-lost", ServiceBusFailureReason.SessionLockLost, false)]
    [InlineData("com.microsoft:session-cannot-be-locked", ServiceBusFailureReason.SessionCannotBeLocked, false)]
    [InlineData("com.microsoft:message-not-found", ServiceBusFailureReason.MessageNotFound, false)]
    [InlineData("com.microsoft:entity-already-exists", ServiceBusFailureReason.MessagingEntityAlreadyExists, false)]
    [InlineData("com.microsoft:entity-disabled", ServiceBusFailureReason.MessagingEntityDisabled, false)]
    [InlineData("amqp:not-found", ServiceBusFailureReason.MessagingEntityNotFound, false)]
    [InlineData("amqp:resource-limit-exceeded", ServiceBusFailureReason.QuotaExceeded, false)]
    [InlineData("amqp:link:message-size-exceeded", ServiceBusFailureReason.MessageSizeExceeded, false)]
    [InlineData("amqp:link:detach-forced", ServiceBusFailureReason.GeneralError, true)]
    [InlineData("amqp:connection:forced", ServiceBusFailureReason.GeneralError, true)]
    [InlineData("amqp:internal-error", ServiceBusFailureReason.GeneralError, true)]
    [InlineData("com.example:never-heard-of", ServiceBusFailureReason.GeneralError, true)]
    public void A_condition_is_a_reason(string condition, ServiceBusFailureReason reason, bool transient)
    {
        var cause = new AmqpException(new AmqpError(condition, "what the broker said"));

        var error = Assert.IsType<ServiceBusException>(ErrorTranslation.Translate(cause, "orders"));

        Assert.Equal((reason, transient, "orders"), (error.Reason, error.IsTransient, error.EntityPath));
        Assert.Same(cause, error.InnerException);
        Assert.StartsWith("what the broker said", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("com.microsoft:argument-error", typeof(ArgumentException))]
    [InlineData("com.microsoft:argument-out-of-range", typeof(ArgumentOutOfRangeException))]
    [InlineData("com.microsoft:auth-failed", typeof(UnauthorizedAccessException))]
    [InlineData("amqp:unauthorized-access", typeof(UnauthorizedAccessException))]
    [InlineData("amqp:not-allowed", typeof(InvalidOperationException))]
    [InlineData("amqp:not-implemented", typeof(NotSupportedException))]
    public void A_condition_of_a_mistake_is_an_exception_of_the_platform(string condition, Type type)
    {
        var error = ErrorTranslation.FromError(new AmqpError(condition, "what the broker said"), "orders");

        Assert.IsType(type, error);
        Assert.Contains("what the broker said", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_condition_without_a_description_says_its_name() =>
        Assert.StartsWith(
            "amqp:internal-error",
            ErrorTranslation.FromError(new AmqpError("amqp:internal-error"), null).Message,
            StringComparison.Ordinal);

    [Fact]
    public void A_transport_that_fails_or_takes_too_long_may_do_better_next_time()
    {
        foreach (var failure in new Exception[] { new SocketException((int)SocketError.ConnectionReset), new IOException("gone") })
            Assert.Equal((ServiceBusFailureReason.ServiceCommunicationProblem, true), ReasonOf(failure));
        Assert.Equal((ServiceBusFailureReason.ServiceTimeout, true), ReasonOf(new TimeoutException()));
    }

    [Fact]
    public void What_says_it_already_stays_as_it_is()
    {
        var error = new FormatException();

        Assert.Same(error, ErrorTranslation.Translate(error, "orders"));
    }

    [Theory]
    [InlineData(404, ServiceBusFailureReason.MessagingEntityNotFound)]
    [InlineData(403, ServiceBusFailureReason.QuotaExceeded)]
    [InlineData(408, ServiceBusFailureReason.ServiceTimeout)]
    [InlineData(409, ServiceBusFailureReason.MessagingEntityAlreadyExists)]
    [InlineData(410, ServiceBusFailureReason.MessageLockLost)]
    [InlineData(503, ServiceBusFailureReason.ServiceBusy)]
    [InlineData(500, ServiceBusFailureReason.GeneralError)]
    public void A_status_speaks_when_there_is_no_condition(int status, ServiceBusFailureReason reason)
    {
        var error = Assert.IsType<ServiceBusException>(ErrorTranslation.FromManagement(status, null, null, "orders"));

        Assert.Equal((reason, "orders"), (error.Reason, error.EntityPath));
        Assert.Contains($"{status}", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_status_of_a_mistake_is_an_exception_of_the_platform()
    {
        Assert.IsType<InvalidOperationException>(ErrorTranslation.FromManagement(400, null, null, null));
        Assert.IsType<UnauthorizedAccessException>(ErrorTranslation.FromManagement(401, null, null, null));
        Assert.IsType<NotSupportedException>(ErrorTranslation.FromManagement(501, null, null, null));
        Assert.IsType<ArgumentException>(ErrorTranslation.FromClaims(400, "no", null));
        Assert.IsType<UnauthorizedAccessException>(ErrorTranslation.FromClaims(401, "no", null));
        Assert.IsType<UnauthorizedAccessException>(ErrorTranslation.FromClaims(403, "no", null));
    }

    [Fact]
    public void A_condition_speaks_louder_than_its_status()
    {
        var error = Assert.IsType<ServiceBusException>(
            ErrorTranslation.FromManagement(410, "com.microsoft:session-lock-lost", "gone", "orders"));

        Assert.Equal(ServiceBusFailureReason.SessionLockLost, error.Reason);
        Assert.StartsWith("gone", error.Message, StringComparison.Ordinal);
    }

    private static (ServiceBusFailureReason Reason, bool IsTransient) ReasonOf(Exception failure)
    {
        var error = Assert.IsType<ServiceBusException>(ErrorTranslation.Translate(failure, "orders"));
        return (error.Reason, error.IsTransient);
    }
}
