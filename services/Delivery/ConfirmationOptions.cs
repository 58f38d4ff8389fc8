using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Delivery;

/// <summary>Section <c>Confirmation</c>.</summary>
internal sealed class ConfirmationOptions
{
    public const string Section = "Confirmation";

    private const string KeyForm = "It is not base64 of at least 32 bytes. `openssl rand -base64 32` makes one.";

    /// <summary>
    /// Signs the tokens of confirmations: base64 of at least 32 bytes, the same for all replicas. Null: a confirmation needs no token, and
    /// its errors reveal the drop-off to any caller.
    /// </summary>
    [Base64String(ErrorMessage = KeyForm), RegularExpression(@"[^=]{43,}=*\s*", ErrorMessage = KeyForm)]
    public string? Key { get; set; }
}
