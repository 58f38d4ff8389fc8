using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Delivery;

/// <summary>Section <c>Confirmation</c>.</summary>
internal sealed class ConfirmationOptions : IValidatableObject
{
    public const string Section = "Confirmation";

    private const int MinBytes = 32;

    /// <summary>
    /// Signs the tokens of confirmations: base64 of at least 32 bytes, the same for all replicas. Null: a confirmation needs no token, and
    /// its errors reveal the drop-off to any caller.
    /// </summary>
    public string? Key { get; set; }

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (string.IsNullOrEmpty(Key) || IsKey(Key))
            yield break;
        yield return new(
            $"It is not base64 of at least {MinBytes} bytes. `openssl rand -base64 32` makes one.",
            [nameof(Key)]
        );
    }

    private static bool IsKey(string text)
    {
        var bytes = new byte[text.Length];
        return Convert.TryFromBase64String(text, bytes, out var length) && length >= MinBytes;
    }
}
