using System.Security.Claims;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.JwtBearer;
using Microsoft.AspNetCore.Authorization;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>Identifies callers by their tokens.</summary>
public sealed class Callers(IOptions<CallerOptions> options)
{
    private readonly string? _ownerClaim = options.Value is { Enabled: true, OwnerClaim: var claim } ? claim : null;

    /// <returns>The owner whose deliveries the caller may access; <c>null</c> without authentication.</returns>
    public string? OwnerOf(ClaimsPrincipal user) =>
        _ownerClaim is null
            ? null
            : NameOf(user) ?? throw new InvalidOperationException("A caller without an owner has passed the policy.");

    /// <returns>The caller's owner claim; <c>null</c> without a valid token.</returns>
    public string? NameOf(ClaimsPrincipal user) => _ownerClaim is null ? null : user.FindFirst(_ownerClaim)?.Value;
}

public static class CallersSetup
{
    private const string Scheme = JwtBearerDefaults.AuthenticationScheme;

    /// <summary>Enables authentication if <c>Authentication:Enabled</c> is true; otherwise, its library isn't loaded.</summary>
    public static void AddCallers(this WebApplicationBuilder builder)
    {
        builder.Services.AddValidatedOptions<CallerOptions>(CallerOptions.Section);
        builder.Services.AddSingleton<Callers>();
        builder.Services.AddClientRateLimit();
        // The validation of the options reports an invalid value at startup.
        var enabled = builder.Configuration[$"{CallerOptions.Section}:{nameof(CallerOptions.Enabled)}"];
        if (bool.TryParse(enabled, out var isEnabled) && isEnabled)
            builder.Services.AddBearerTokens();
    }

    /// <summary>
    /// Adds authentication, rate limiting, and authorization. Call it after <see cref="ServiceDefaultsExtensions.MapServiceDefaults"/>, so
    /// that rejections are problems and appear in telemetry.
    /// </summary>
    public static void UseCallers(this WebApplication app)
    {
        app.UseProxies();
        var checksTokens = app.Services.GetService<IAuthenticationSchemeProvider>() is not null;
        if (checksTokens)
            app.UseAuthentication();
        // Before authorization, so that token guessing is limited, too. Only if enabled, because the middleware's timer wakes the process.
        var limited = app.Configuration[$"{RateLimitOptions.Section}:{nameof(RateLimitOptions.Enabled)}"];
        if (bool.TryParse(limited, out var isLimited) && isLimited)
            app.UseRateLimiter();
        if (checksTokens)
            app.UseAuthorization();
    }

    /// <summary>
    /// Validates tokens (JWT) with the keys of an authority, or of <c>Authentication:Schemes:Bearer</c>, which ASP.NET Core reads.
    /// </summary>
    private static void AddBearerTokens(this IServiceCollection services)
    {
        services.AddAuthentication(Scheme).AddJwtBearer();
        services
            .AddOptions<JwtBearerOptions>(Scheme)
            .Configure<IOptions<CallerOptions>>((jwt, options) => Configure(jwt, options.Value));
        services.AddAuthorization();
        services
            .AddOptions<AuthorizationOptions>()
            .Configure<IOptions<CallerOptions>>(
                (authorization, options) => CallerPolicies.Add(authorization, options.Value)
            );
        services.AddDependency("authority", "The keys of the authority cannot be read.", ReadKeysAsync);
    }

    private static void Configure(JwtBearerOptions jwt, CallerOptions options)
    {
        jwt.MapInboundClaims = false;
        if (!string.IsNullOrEmpty(options.Authority))
            (jwt.Authority, jwt.RequireHttpsMetadata) = (options.Authority, false); // options require https, or this machine
        var rules = jwt.TokenValidationParameters;
        (rules.ValidateIssuer, rules.ValidateAudience) = (true, true);
        if (!string.IsNullOrEmpty(options.Audience))
            rules.ValidAudience = options.Audience;
    }

    private static Task ReadKeysAsync(IServiceProvider provider, CancellationToken cancellationToken)
    {
        var jwt = provider.GetRequiredService<IOptionsMonitor<JwtBearerOptions>>().Get(Scheme);
        return jwt.ConfigurationManager?.GetConfigurationAsync(cancellationToken) ?? Task.CompletedTask;
    }
}
