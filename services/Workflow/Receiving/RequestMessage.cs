using System.Globalization;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Validation;
using DroneDelivery.Workflow.Calls;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// What a message asks for. To read one throws a <see cref="PermanentFailureException"/> if its body is not the operation's record, or a
/// property makes no sense.
/// </summary>
internal static class RequestMessage
{
    /// <returns>One of the operations of <see cref="QueueMessage"/>, unless the message makes no sense.</returns>
    public static string? OperationOf(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.OperationProperty)?.ToString();

    public static (RequestIdentity Identity, DeliveryRequest Request) ReadDelivery(ServiceBusReceivedMessage message)
    {
        var request = Body<DeliveryRequest>(message);
        var fingerprint = message.ApplicationProperties.GetValueOrDefault(QueueMessage.FingerprintProperty)?.ToString();
        return (
            new(
                Required(request.DeliveryId),
                fingerprint ?? RequestIdentity.FingerprintOf(request),
                AttemptOf(message),
                FindAcceptedAt(message)
            ),
            request
        );
    }

    /// <returns>Null: the message asks for something else, or cannot be read.</returns>
    public static T? Find<T>(
        ServiceBusReceivedMessage message,
        string operation,
        Func<ServiceBusReceivedMessage, T> read
    )
        where T : struct
    {
        try
        {
            return OperationOf(message) == operation ? read(message) : null;
        }
        catch (PermanentFailureException)
        {
            return null;
        }
    }

    /// <returns>Changes with a delivery id, and when they were accepted; null: the producer did not say.</returns>
    public static (RescheduleRequest Changes, DateTimeOffset? AcceptedAt) ReadReschedule(
        ServiceBusReceivedMessage message
    )
    {
        var changes = Body<RescheduleRequest>(message);
        Required(changes.DeliveryId);
        return (changes, ReadAcceptedAt(message));
    }

    public static (string DeliveryId, DateTimeOffset? AcceptedAt) ReadCancel(ServiceBusReceivedMessage message) =>
        (Body<CancelRequest>(message).DeliveryId, ReadAcceptedAt(message));

    /// <returns>Null: the producer did not say, or says nonsense.</returns>
    public static DateTimeOffset? FindAcceptedAt(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.AcceptedProperty) is string text
        && DateTimeOffset.TryParseExact(
            text,
            "O",
            CultureInfo.InvariantCulture,
            DateTimeStyles.RoundtripKind,
            out var accepted
        )
            ? accepted
            : null;

    private static int AttemptOf(ServiceBusReceivedMessage message)
    {
        if (message.ApplicationProperties.GetValueOrDefault(QueueMessage.AttemptProperty) is not { } value)
            return 0;
        return int.TryParse($"{value}", NumberStyles.None, CultureInfo.InvariantCulture, out var attempt)
            ? attempt
            : throw Unparsable(QueueMessage.AttemptProperty, value, "whole number from 0");
    }

    private static DateTimeOffset? ReadAcceptedAt(ServiceBusReceivedMessage message)
    {
        var acceptedAt = FindAcceptedAt(message);
        if (
            acceptedAt is null
            && message.ApplicationProperties.TryGetValue(QueueMessage.AcceptedProperty, out var stamp)
        )
        {
            throw Unparsable(QueueMessage.AcceptedProperty, stamp, "time such as 2030-01-01T09:00:00.0000000+00:00");
        }
        return acceptedAt;
    }

    private static T Body<T>(ServiceBusReceivedMessage message)
        where T : class
    {
        try
        {
            var body = message.Body.ToObjectFromJson<T>(ContractJson.Options)
                ?? throw Unreadable<T>(new Dictionary<string, string[]> { ["$"] = ["Must not be null."] });
            var errors = RecordValidator.Validate(body);
            return errors.Count == 0 ? body : throw Unreadable<T>(errors);
        }
        catch (JsonException exception)
        {
            throw Unreadable<T>(JsonErrors.Of(exception));
        }
        catch (NotSupportedException) // a text of JMS, for example, which is an AMQP value
        {
            throw Unreadable<T>(new Dictionary<string, string[]> { ["$"] = ["Must be bytes."] });
        }
    }

    private static PermanentFailureException Unreadable<T>(IDictionary<string, string[]> errors)
    {
        var mistakes = errors.Select(error => $"{error.Key}: {string.Join(" ", error.Value)}");
        return Unparsable($"The body is no {typeof(T).Name}. {string.Join(" ", mistakes)}");
    }

    private static string Required(string? deliveryId) => deliveryId ?? throw Unparsable("The body has no deliveryId.");

    private static PermanentFailureException Unparsable(string property, object value, string expected) =>
        Unparsable($"Application property '{property}' is '{value}', no {expected}.");

    private static PermanentFailureException Unparsable(string why) => new("Unparsable", why);
}
