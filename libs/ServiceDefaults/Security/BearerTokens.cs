using DroneDelivery.ServiceDefaults.Health;
using Microsoft.AspNetCore.Authentication.JwtBearer;
using Microsoft.AspNetCore.Authorization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>
/// Tokens (JWT) of an authority, or with keys from the configuration. ASP.NET Core reads the section
/// <c>Authentication:Schemes:Bearer</c> by itself, where <c>dotnet user-jwts</c> writes.
/// </summary>
internal static class BearerTokens
{
    private const string Scheme = JwtBearerDefaults.AuthenticationScheme;

    public static void Add(IServiceCollection services)
    {
        services.AddAuthentication(Scheme).AddJwtBearer();
        services.AddOptions<JwtBearerOptions>(Scheme).Configure<IOptions<CallerOptions>>((jwt, options) => Configure(jwt, options.Value));
        services.AddAuthorization();
        services.AddOptions<AuthorizationOptions>().Configure<IOptions<CallerOptions>>((authorization, options) =>
            authorization.DefaultPolicy = new AuthorizationPolicyBuilder(Scheme)
                .RequireAuthenticatedUser()
                .RequireClaim(options.Value.OwnerClaim)
                .Build());
        // Without its keys every token would look forged.
        services.AddDependency("authority", "The keys of the authority cannot be read.", ReadKeysAsync);
    }

    private static void Configure(JwtBearerOptions jwt, CallerOptions options)
    {
        jwt.MapInboundClaims = false; // claims keep the names that the token gives them
        if (!string.IsNullOrEmpty(options.Audience))
        {
            jwt.TokenValidationParameters.ValidAudience = options.Audience;
            jwt.TokenValidationParameters.ValidateAudience = true;
        }
        if (!string.IsNullOrEmpty(options.Authority))
        {
            jwt.Authority = options.Authority;
            jwt.RequireHttpsMetadata = !CallerOptions.IsLoopback(options.Authority);
            jwt.TokenValidationParameters.ValidateIssuer = true;
        }
    }

    /// <summary>They are kept, and read again when a token names an unknown one.</summary>
    private static Task ReadKeysAsync(IServiceProvider provider, CancellationToken cancellationToken)
    {
        var jwt = provider.GetRequiredService<IOptionsMonitor<JwtBearerOptions>>().Get(Scheme);
        return jwt.ConfigurationManager?.GetConfigurationAsync(cancellationToken) ?? Task.CompletedTask;
    }
}
