using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Gateway;

/// <summary>Section <c>Gateway</c>: who may come in, and how often. Where requests go is in YARP's section <c>ReverseProxy</c>.</summary>
internal sealed class GatewayOptions : IValidatableObject
{
    public const string Section = "Gateway";

    public const int ShortestKey = 16,
        LongestKey = 256;

    // Without the key: messages go to logs.
    private static readonly string KeyForm = $"A key has {ShortestKey} to {LongestKey} ASCII characters, and no space.";

    private const string LimitForm = "Permits must be at least 1, and Window from 00:00:00.100 to 1.00:00:00.";

    /// <summary>A JSON file with the routes, below all other settings. Null: the one beside the program.</summary>
    public string? PolicyFile { get; set; }

    /// <summary>Subscription keys, by the name of the subscriber. There is no default.</summary>
    [MinLength(1, ErrorMessage = "Set Gateway:Keys:NAME.")]
    public Dictionary<string, string> Keys { get; } = [];

    /// <summary>By the name that a route gives as its <c>RateLimiterPolicy</c>.</summary>
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
        key is { Length: >= ShortestKey and <= LongestKey } && key.All(sign => sign is > ' ' and <= '~');
}

/// <summary>How many requests each subscriber may make, on all routes of this policy together.</summary>
internal sealed class RateLimitOptions
{
    [Range(1, 1_000_000)]
    public int Permits { get; set; }

    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan Window { get; set; }
}
