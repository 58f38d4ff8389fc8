using System.Text.RegularExpressions;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;

namespace DroneDelivery.Workflow.Supervising;

/// <summary>Why a request has failed, in words for its client. The words for operators stay with the message.</summary>
internal static partial class DeadLetterCause
{
    private const string Prefix = "urn:drone-delivery:";
    private const int LongestReason = 100;

    public static DeliveryFailure Of(ServiceBusReceivedMessage message)
    {
        var refusal = Refusal.FindIn(message.DeadLetterErrorDescription ?? "");
        return refusal?.Type?.StartsWith(Prefix, StringComparison.Ordinal) is true && refusal.Detail is { } detail
            ? new() { Reason = refusal.Type, Detail = detail }
            : new()
            {
                Reason = Prefix + KebabCase(message.DeadLetterReason ?? "DeadLettered"),
                Detail = refusal is null ? "The request could not be carried out." : "The request was refused.",
            };
    }

    private static string KebabCase(string reason)
    {
        var words = InnerCapital().Replace(reason[..Math.Min(reason.Length, LongestReason)], "-$0");
        return NoLetter().Replace(words, "-").Trim('-').ToLowerInvariant();
    }

    [GeneratedRegex("(?<=[a-z0-9])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])")]
    private static partial Regex InnerCapital();

    [GeneratedRegex("[^A-Za-z0-9]+")]
    private static partial Regex NoLetter();
}
