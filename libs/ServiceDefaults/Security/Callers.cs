using System.Security.Claims;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.JwtBearer;
using Microsoft.AspNetCore.Authorization;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>Who calls, as the token says it.</summary>
public sealed class Callers(IOptions<CallerOptions> options)
{
    private readonly string? _ownerClaim = options.Value is { Enabled: true, OwnerClaim: var claim } ? claim : null;

    /// <returns>The owner whose deliveries the caller may see and change; null: nobody logs in, and everybody may.</returns>
    public string? OwnerOf(ClaimsPrincipal user) =>
        _ownerClaim is null
            ? null
            : NameOf(user) ?? throw new InvalidOperationException("A caller without an owner has passed the policy.");

    /// <returns>What tells this caller from others: null if there is no valid token.</returns>
    public string? NameOf(ClaimsPrincipal user) => _ownerClaim is null ? null : user.FindFirst(_ownerClaim)?.Value;
}

public static class CallersSetup
{
    private const string Scheme = JwtBearerDefaults.AuthenticationScheme;

    /// <summary>
    /// Tokens are checked only if <c>Authentication:Enabled</c> is true; otherwise the library is not loaded. The policy of each group of
    /// routes is in its <see cref="ServiceDefaultsExtensions.MapApi"/>.
    /// </summary>
    public static void AddCallers(this WebApplicationBuilder builder)
    {
        builder.Services.AddValidatedOptions<CallerOptions>(CallerOptions.Section);
        builder.Services.AddSingleton<Callers>();
        builder.Services.AddClientRateLimit();
        // An invalid value is reported by the validation of the options, when the process starts.
        var enabled = builder.Configuration[$"{CallerOptions.Section}:{nameof(CallerOptions.Enabled)}"];
        if (bool.TryParse(enabled, out var isEnabled) && isEnabled)
            builder.Services.AddBearerTokens();
    }

    /// <summary>
    /// Call it after <see cref="ServiceDefaultsExtensions.MapServiceDefaults"/>. The framework would add both before everything else, so
    /// that a refusal would be no problem and in no telemetry.
    /// </summary>
    public static void UseCallers(this WebApplication app)
    {
        app.UseProxies();
        var checksTokens = app.Services.GetService<IAuthenticationSchemeProvider>() is not null;
        if (checksTokens)
            app.UseAuthentication();
        // Before an invalid token is rejected, so guessing is limited, too.
        // The middleware's timer wakes the process every 100 ms.
        var limited = app.Configuration[$"{RateLimitOptions.Section}:{nameof(RateLimitOptions.Enabled)}"];
        if (bool.TryParse(limited, out var isLimited) && isLimited)
            app.UseRateLimiter();
        if (checksTokens)
            app.UseAuthorization();
    }

    /// <summary>
    /// Tokens (JWT) of an authority, or with keys from the configuration. ASP.NET Core reads the section
    /// <c>Authentication:Schemes:Bearer</c> by itself, where <c>dotnet user-jwts</c> writes.
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
        // Without its keys every token would look forged.
        services.AddDependency("authority", "The keys of the authority cannot be read.", ReadKeysAsync);
    }

    private static void Configure(JwtBearerOptions jwt, CallerOptions options)
    {
        jwt.MapInboundClaims = false; // claims keep the names that the token gives them
        if (!string.IsNullOrEmpty(options.Authority))
            (jwt.Authority, jwt.RequireHttpsMetadata) = (options.Authority, false); // validated: https, or on this machine
        var rules = jwt.TokenValidationParameters;
        (rules.ValidateIssuer, rules.ValidateAudience) = (true, true);
        if (!string.IsNullOrEmpty(options.Audience))
            rules.ValidAudience = options.Audience;
    }

    /// <summary>They are kept, and read again when a token names an unknown one.</summary>
    private static Task ReadKeysAsync(IServiceProvider provider, CancellationToken cancellationToken)
    {
        var jwt = provider.GetRequiredService<IOptionsMonitor<JwtBearerOptions>>().Get(Scheme);
        return jwt.ConfigurationManager?.GetConfigurationAsync(cancellationToken) ?? Task.CompletedTask;
    }
}
