using System.Globalization;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Validation;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>From a message to the workflow that it asks for.</summary>
internal static class RequestMessage
{
    /// <exception cref="PermanentFailureException">No known operation, or a body that is not the operation's record.</exception>
    public static Task RunAsync(this DeliveryWorkflow workflow, ServiceBusReceivedMessage message, CancellationToken cancellationToken)
    {
        switch (OperationOf(message))
        {
            case QueueMessage.Delivery:
                var (identity, request) = ReadDelivery(message);
                return workflow.ScheduleAsync(identity, request, cancellationToken);
            case QueueMessage.Reschedule:
                var changes = Read<RescheduleRequest>(message);
                return workflow.RescheduleAsync(Named(changes.DeliveryId), changes, AcceptedAt(message), cancellationToken);
            case QueueMessage.Cancel:
                return workflow.CancelAsync(Read<CancelRequest>(message).DeliveryId, cancellationToken);
            case var unknown:
                throw new PermanentFailureException(
                    "UnknownOperation",
                    $"Application property '{QueueMessage.OperationProperty}' is {(unknown is null ? "missing" : $"'{unknown}'")}. " +
                    $"Expected {QueueMessage.Delivery}, {QueueMessage.Reschedule} or {QueueMessage.Cancel}.");
        }
    }

    /// <returns>Null: the message asks for no delivery, or cannot be read.</returns>
    public static (RequestIdentity Identity, DeliveryRequest Request)? FindDelivery(ServiceBusReceivedMessage message)
    {
        try
        {
            return OperationOf(message) == QueueMessage.Delivery ? ReadDelivery(message) : null;
        }
        catch (PermanentFailureException)
        {
            return null;
        }
    }

    private static (RequestIdentity Identity, DeliveryRequest Request) ReadDelivery(ServiceBusReceivedMessage message)
    {
        var request = Read<DeliveryRequest>(message);
        var fingerprint = message.ApplicationProperties.GetValueOrDefault(QueueMessage.FingerprintProperty)?.ToString();
        return (new(Named(request.DeliveryId), fingerprint ?? RequestIdentity.FingerprintOf(request), AttemptOf(message)), request);
    }

    private static int AttemptOf(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.AttemptProperty) switch
        {
            null => 0,
            int attempt and >= 0 => attempt,
            long attempt and >= 0 and <= int.MaxValue => (int)attempt,
            var other => throw new PermanentFailureException(
                "Unparsable", $"Application property '{QueueMessage.AttemptProperty}' is '{other}', no whole number from 0."),
        };

    private static string? OperationOf(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.OperationProperty)?.ToString();

    /// <returns>Null: the producer did not say.</returns>
    private static DateTimeOffset? AcceptedAt(ServiceBusReceivedMessage message)
    {
        if (!message.ApplicationProperties.TryGetValue(QueueMessage.AcceptedProperty, out var stamp))
            return null;
        var text = stamp?.ToString();
        return DateTimeOffset.TryParseExact(text, "O", CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind, out var accepted)
            ? accepted
            : throw new PermanentFailureException(
                "Unparsable",
                $"Application property '{QueueMessage.AcceptedProperty}' is '{text}', no time such as 2030-01-01T09:00:00.0000000+00:00.");
    }

    private static T Read<T>(ServiceBusReceivedMessage message) where T : class
    {
        T? body;
        try
        {
            body = JsonSerializer.Deserialize<T>(message.Body.ToMemory().Span, ContractJson.Options);
        }
        catch (JsonException exception)
        {
            throw Unparsable<T>(JsonErrors.Of(exception));
        }
        if (body is null)
            throw Unparsable<T>(new Dictionary<string, string[]> { ["$"] = ["Must not be null."] });
        var errors = RecordValidator.Validate(body);
        return errors.Count == 0 ? body : throw Unparsable<T>(errors);
    }

    private static string Named(string? deliveryId) => deliveryId
        ?? throw Unparsable<DeliveryRequest>(new Dictionary<string, string[]> { ["deliveryId"] = ["Required."] });

    private static PermanentFailureException Unparsable<T>(IDictionary<string, string[]> errors) => new(
        "Unparsable",
        $"The body is no {typeof(T).Name}. {string.Join(" ", errors.Select(error => $"{error.Key}: {string.Join(" ", error.Value)}"))}");
}
