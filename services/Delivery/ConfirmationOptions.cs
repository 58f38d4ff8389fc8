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
        var bytes = new byte[Key?.Length ?? 0];
        if (
            !string.IsNullOrEmpty(Key)
            && !(Convert.TryFromBase64String(Key, bytes, out var length) && length >= MinBytes)
        )
            yield return new(
                $"It is not base64 of at least {MinBytes} bytes. `openssl rand -base64 32` makes one.",
                [nameof(Key)]
            );
    }
}
