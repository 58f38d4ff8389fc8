using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>Section <c>Authentication</c>: who may call. Off by default.</summary>
public sealed class CallerOptions : IValidatableObject
{
    public const string Section = "Authentication";

    /// <summary>Each request to the API needs a token (JWT) in its Authorization header; otherwise the answer is 401.</summary>
    public bool Enabled { get; set; }

    /// <summary>Who issues the tokens, for example <c>https://login.example/tenant/v2.0</c>. Its keys are read from there.</summary>
    public string? Authority { get; set; }

    /// <summary>For whom the tokens are: the name under which the authority knows this API.</summary>
    public string? Audience { get; set; }

    /// <summary>The claim that names the owner of deliveries: its value is their <c>ownerId</c>.</summary>
    [Required]
    public string OwnerClaim { get; set; } = "sub";

    /// <summary>The role, or scope, of services that call this one.</summary>
    [Required]
    public string ServiceRole { get; set; } = "Service";

    /// <summary>The role, or scope, of devices that confirm deliveries.</summary>
    [Required]
    public string DeviceRole { get; set; } = "Device";

    /// <summary>Where <c>dotnet user-jwts</c> writes issuer, audience and keys, for development. ASP.NET Core reads it.</summary>
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
                new("It must be an https:// address, or one of this machine.", [nameof(Authority)]),
            ],
            _ when string.IsNullOrEmpty(Audience) && !HasScheme("ValidAudience") && !HasScheme("ValidAudiences") =>
            [
                new("Set it: without it, a token for another API would open this one.", [nameof(Audience)]),
            ],
            _ => [],
        };

    private bool HasScheme(string setting) => Schemes?.GetSection($"Bearer:{setting}").Exists() ?? false;

    private static bool IsSafe(string authority) =>
        Uri.TryCreate(authority, UriKind.Absolute, out var uri)
        && uri is { Scheme: "https" } or { Scheme: "http", IsLoopback: true };
}
