using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>Section <c>Authentication</c>: authentication of callers.</summary>
public sealed class CallerOptions : IValidatableObject
{
    public const string Section = "Authentication";

    /// <summary>Whether API requests require a token (JWT) in the Authorization header.</summary>
    public bool Enabled { get; set; }

    /// <summary>The issuer of the tokens and of their keys, for example <c>https://login.example/tenant/v2.0</c>.</summary>
    public string? Authority { get; set; }

    /// <summary>The required audience of the tokens.</summary>
    public string? Audience { get; set; }

    /// <summary>The claim that contains the <c>ownerId</c> of the caller's deliveries.</summary>
    [Required]
    public string OwnerClaim { get; set; } = "sub";

    /// <summary>The role or scope of calling services.</summary>
    [Required]
    public string ServiceRole { get; set; } = "Service";

    /// <summary>The role or scope of devices that confirm deliveries.</summary>
    [Required]
    public string DeviceRole { get; set; } = "Device";

    /// <summary>Issuer, audience, and keys of <c>dotnet user-jwts</c>, for development, which ASP.NET Core reads.</summary>
    public IConfigurationSection? Schemes { get; set; }

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext) =>
        (Enabled, string.IsNullOrEmpty(Authority)) switch
        {
            (false, _) => [],
            (_, true) when !HasScheme("SigningKeys") =>
            [
                new("Set it to the issuer of the tokens. For development use `dotnet user-jwts`.", [nameof(Authority)]),
            ],
            (_, false) when !IsSafe(Authority!) =>
            [
                new("Must be an https:// address or an address of the local machine.", [nameof(Authority)]),
            ],
            _ when string.IsNullOrEmpty(Audience) && !HasScheme("ValidAudience") && !HasScheme("ValidAudiences") =>
            [
                new("Required: otherwise, the API would accept tokens for other APIs.", [nameof(Audience)]),
            ],
            _ => [],
        };

    private bool HasScheme(string setting) => Schemes?.GetSection($"Bearer:{setting}").Exists() ?? false;

    private static bool IsSafe(string authority) =>
        Uri.TryCreate(authority, UriKind.Absolute, out var uri)
        && uri is { Scheme: "https" } or { Scheme: "http", IsLoopback: true };
}
