using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Gateway;

/// <summary>Section <c>Gateway</c>: subscription keys and rate limits.</summary>
internal sealed class GatewayOptions : IValidatableObject
{
    public const string Section = "Gateway";

    private const int MinKeyLength = 16,
        MaxKeyLength = 256;

    // Doesn't contain the key, because the message is logged.
    private static readonly string KeyForm =
        $"A key must have {MinKeyLength} to {MaxKeyLength} ASCII characters without spaces.";

    private const string LimitForm = "Permits must be at least 1, and Window from 00:00:00.100 to 1.00:00:00.";

    /// <summary>
    /// Path of a JSON file with the routes, which other settings override; <c>null</c> for <c>policies.json</c> in the program's folder.
    /// </summary>
    public string? PolicyFile { get; set; }

    /// <summary>Subscription keys by subscriber name.</summary>
    [MinLength(1, ErrorMessage = "Set Gateway:Keys:NAME.")]
    public Dictionary<string, string> Keys { get; } = [];

    /// <summary>Rate limits by policy name, which routes specify as <c>RateLimiterPolicy</c>.</summary>
    public Dictionary<string, RateLimitOptions> RateLimits { get; } = [];

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        var invalidKeys = Keys.Where(key => !IsKey(key.Value))
            .Select(key => new ValidationResult(KeyForm, [$"{nameof(Keys)}:{key.Key}"]));
        var invalidLimits = RateLimits
            .Where(limit => !IsValid(limit.Value))
            .Select(limit => new ValidationResult(LimitForm, [$"{nameof(RateLimits)}:{limit.Key}"]));
        return invalidKeys.Concat(invalidLimits);
    }

    private static bool IsValid(RateLimitOptions limit) =>
        Validator.TryValidateObject(limit, new(limit), null, validateAllProperties: true);

    private static bool IsKey(string key) =>
        key is { Length: >= MinKeyLength and <= MaxKeyLength } && key.All(sign => sign is > ' ' and <= '~');
}

/// <summary>The limit of each subscriber for all routes of a policy.</summary>
internal sealed class RateLimitOptions
{
    [Range(1, 1_000_000)]
    public int Permits { get; set; }

    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan Window { get; set; }
}
