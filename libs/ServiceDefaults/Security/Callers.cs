using System.Security.Claims;
using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>Who calls, as the token says it.</summary>
public sealed class Callers(IOptions<CallerOptions> options)
{
    private readonly string? _ownerClaim = options.Value is { Enabled: true, OwnerClaim: var claim } ? claim : null;

    /// <returns>The owner whose deliveries the caller may see and change; null: nobody logs in, and everybody may.</returns>
    public string? OwnerOf(ClaimsPrincipal user) => _ownerClaim is null
        ? null
        : user.FindFirst(_ownerClaim)?.Value ?? throw new InvalidOperationException("A caller without an owner has passed the policy.");

    /// <returns>What tells this caller from others: null if there is no valid token.</returns>
    public string? NameOf(ClaimsPrincipal user) => _ownerClaim is null ? null : user.FindFirst(_ownerClaim)?.Value;
}

public static class CallersSetup
{
    /// <summary>Tokens are checked only if <c>Authentication:Enabled</c> is true. Otherwise nothing of the library is loaded.</summary>
    public static void AddCallers(this WebApplicationBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddValidatedOptions<CallerOptions>(CallerOptions.Section);
        builder.Services.AddSingleton<Callers>();
        if (IsEnabled(builder.Configuration))
            BearerTokens.Add(builder.Services);
    }

    /// <summary>
    /// Reads the token. What comes after it, as a limit for each client, knows who calls. Not for a branch: the framework would add both
    /// once more, before the handler of exceptions.
    /// </summary>
    public static void UseCallers(this WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        if (IsEnabled(app.Configuration))
            app.UseAuthentication();
    }

    /// <summary>Refuses those without a valid token, with 401.</summary>
    public static void UseCallerPolicy(this WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        if (IsEnabled(app.Configuration))
            app.UseAuthorization();
    }

    /// <summary>These routes need a valid token, if tokens are checked.</summary>
    public static void RequireCaller(this IEndpointConventionBuilder routes, IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        if (IsEnabled(configuration))
            routes.RequireAuthorization();
    }

    // A value that is neither is told by the validation of the options, when the process starts.
    private static bool IsEnabled(IConfiguration configuration) =>
        bool.TryParse(configuration[$"{CallerOptions.Section}:{nameof(CallerOptions.Enabled)}"], out var enabled) && enabled;
}
