using System.Globalization;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Validation;
using DroneDelivery.Workflow.Calls;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>The content of a message, by operation (<see cref="QueueMessage"/>).</summary>
internal abstract record RequestMessage
{
    public sealed record Delivery(RequestIdentity Identity, DeliveryRequest Request) : RequestMessage;

    /// <param name="AcceptedAt">The time of acceptance; <c>null</c> if the producer specified none.</param>
    public sealed record Reschedule(RescheduleRequest Changes, DateTimeOffset? AcceptedAt) : RequestMessage;

    public sealed record Cancel(string DeliveryId, DateTimeOffset? AcceptedAt) : RequestMessage;

    public static string? OperationOf(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.OperationProperty)?.ToString();

    /// <exception cref="PermanentFailureException">The operation, the body, or a property is invalid.</exception>
    public static RequestMessage Read(ServiceBusReceivedMessage message)
    {
        switch (OperationOf(message))
        {
            case QueueMessage.Delivery:
                var request = Body<DeliveryRequest>(message);
                return new Delivery(IdentityOf(request, message), request);
            case QueueMessage.Reschedule:
                var changes = Body<RescheduleRequest>(message);
                Required(changes.DeliveryId);
                return new Reschedule(changes, ReadAcceptedAt(message));
            case QueueMessage.Cancel:
                return new Cancel(Body<CancelRequest>(message).DeliveryId, ReadAcceptedAt(message));
            case var unknown:
                var found = unknown is null ? "missing" : $"'{unknown}'";
                throw new PermanentFailureException(
                    "UnknownOperation",
                    $"Application property '{QueueMessage.OperationProperty}' is {found}. "
                        + $"Expected {QueueMessage.Delivery}, {QueueMessage.Reschedule} or {QueueMessage.Cancel}."
                );
        }
    }

    /// <returns><c>null</c> if the message cannot be read.</returns>
    public static RequestMessage? Find(ServiceBusReceivedMessage message)
    {
        try
        {
            return Read(message);
        }
        catch (PermanentFailureException)
        {
            return null;
        }
    }

    /// <returns><c>null</c> if the producer specified none, or an invalid one.</returns>
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

    private static RequestIdentity IdentityOf(DeliveryRequest request, ServiceBusReceivedMessage message)
    {
        var fingerprint = message.ApplicationProperties.GetValueOrDefault(QueueMessage.FingerprintProperty)?.ToString();
        return new(
            Required(request.DeliveryId),
            fingerprint ?? RequestIdentity.FingerprintOf(request),
            AttemptOf(message),
            FindAcceptedAt(message)
        );
    }

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
            throw Unreadable<T>(JsonErrors.From(exception));
        }
        catch (NotSupportedException) // for example, a JMS text message, which is an AMQP value
        {
            throw Unreadable<T>(new Dictionary<string, string[]> { ["$"] = ["Must be bytes."] });
        }
    }

    private static PermanentFailureException Unreadable<T>(IDictionary<string, string[]> errors)
    {
        var details = errors.Select(error => $"{error.Key}: {string.Join(" ", error.Value)}");
        return Unparsable($"The body is not a valid {typeof(T).Name}. {string.Join(" ", details)}");
    }

    private static string Required(string? deliveryId) => deliveryId ?? throw Unparsable("The body lacks deliveryId.");

    private static PermanentFailureException Unparsable(string property, object value, string expected) =>
        Unparsable($"Application property '{property}' is '{value}', which is not a {expected}.");

    private static PermanentFailureException Unparsable(string why) => new("Unparsable", why);
}
