using System.ComponentModel.DataAnnotations;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Routing.Patterns;

namespace DroneDelivery.Gateway.Routes;

/// <summary>One route and its policies, in the order in which they are asked: the first one that refuses or answers ends it.</summary>
internal sealed class RouteOptions : IValidatableObject
{
    private static readonly string[] Reserved = ["/health", "/openapi", "/$"];

    [Required, AllowedValues("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")]
    public string? Method { get; set; }

    /// <summary>A template, as in <c>/api/deliveryrequests/{id}</c>. The backend gets the path that was asked for.</summary>
    [Required]
    public string? Path { get; set; }

    /// <summary>Whether the request has to bring one of the gateway's keys.</summary>
    public bool RequireKey { get; set; }

    public RateLimitOptions? RateLimit { get; set; }

    public ReturnResponseOptions? ReturnResponse { get; set; }

    public ValidateContentOptions? ValidateContent { get; set; }

    /// <summary>Whether the request goes to the backend.</summary>
    public bool Forward { get; set; }

    /// <summary>How long the backend may be silent.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(30);

    public string Name => $"{Method} {Path}";

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (Path is not null && MistakeIn(Path) is { } mistake)
            yield return new(mistake, [nameof(Path)]);
        if (ReturnResponse is null == !Forward)
            yield return new($"{Name} needs either ReturnResponse or Forward: true.", [nameof(Forward)]);
        if (ReturnResponse is not null && ValidateContent is not null)
            yield return new($"{Name} would never come to it: ReturnResponse answers before.", [nameof(ValidateContent)]);
        if (RateLimit is not null && !RequireKey)
            yield return new($"{Name} counts by key: it needs RequireKey: true.", [nameof(RateLimit)]);
    }

    private static string? MistakeIn(string path)
    {
        if (!path.StartsWith('/'))
            return "A path begins with a slash.";
        if (Array.Find(Reserved, own => path.StartsWith(own, StringComparison.OrdinalIgnoreCase)) is { } taken)
            return $"{taken} is the gateway's own.";
        try
        {
            RoutePatternFactory.Parse(path);
            return null;
        }
        catch (RoutePatternException exception)
        {
            return exception.Message;
        }
    }
}

/// <summary>How many requests one key may make on this route.</summary>
internal sealed class RateLimitOptions
{
    [Range(1, 1_000_000)]
    public int Permits { get; set; }

    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan Window { get; set; }
}

/// <summary>What a body has to be.</summary>
internal sealed class ValidateContentOptions
{
    [Range(1, ServiceDefaultsExtensions.MaxRequestBodySize)]
    public long MaxBytes { get; set; } = 64 * 1024;

    [Required, RegularExpression(@"^[^/;\s]+/[^/;\s]+$", ErrorMessage = "A type is such as application/json, without parameters.")]
    public string ContentType { get; set; } = "application/json";

    /// <summary>A component of Ingestion's OpenAPI document.</summary>
    [Required]
    public string? Schema { get; set; }
}

/// <summary>An answer that needs no backend.</summary>
internal sealed class ReturnResponseOptions : IValidatableObject
{
    [Range(200, 599)]
    public int Status { get; set; } = StatusCodes.Status200OK;

    public string? ContentType { get; set; }

    public string? Body { get; set; }

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (!string.IsNullOrEmpty(Body) && Status is 204 or 205 or 304)
            yield return new($"An answer with status {Status} has no body.", [nameof(Body)]);
    }
}
