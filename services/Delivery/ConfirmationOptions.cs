using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Delivery;

internal sealed class ConfirmationOptions
{
    public const string Section = "Confirmation";

    private const string KeyForm = "Must be base64 of at least 32 bytes. `openssl rand -base64 32` generates a key.";

    /// <summary>
    /// Signs confirmation tokens: base64 of at least 32 bytes, the same for all replicas. If <c>null</c>, any caller can confirm, and
    /// errors reveal the dropoff.
    /// </summary>
    [Base64String(ErrorMessage = KeyForm), RegularExpression(@"[^=]{43,}=*\s*", ErrorMessage = KeyForm)]
    public string? Key { get; set; }
}
