using Microsoft.AspNetCore.Authentication.JwtBearer;
using Microsoft.AspNetCore.Authorization;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>Authorization policies of route groups, which apply if <c>Authentication:Enabled</c> is true.</summary>
public static class CallerPolicies
{
    /// <summary>Requires the claim <see cref="CallerOptions.OwnerClaim"/>.</summary>
    public const string Client = "Client";

    /// <summary>Requires the role <see cref="CallerOptions.DeviceRole"/>.</summary>
    public const string Device = "Device";

    /// <summary>Requires the role <see cref="CallerOptions.ServiceRole"/>.</summary>
    public const string Service = "Service";

    // Claims with roles or delegated scopes; the names differ between issuers.
    private static readonly string[] RoleClaims = ["roles", "role", "scp", "scope"];

    internal static void Add(AuthorizationOptions authorization, CallerOptions callers)
    {
        authorization.AddPolicy(Client, policy => RequireToken(policy).RequireClaim(callers.OwnerClaim));
        authorization.AddPolicy(Device, policy => RequireRole(policy, callers.DeviceRole));
        authorization.AddPolicy(Service, policy => RequireRole(policy, callers.ServiceRole));
    }

    private static AuthorizationPolicyBuilder RequireToken(AuthorizationPolicyBuilder policy) =>
        policy.AddAuthenticationSchemes(JwtBearerDefaults.AuthenticationScheme).RequireAuthenticatedUser();

    private static void RequireRole(AuthorizationPolicyBuilder policy, string role) =>
        RequireToken(policy)
            .RequireAssertion(context =>
                context.User.Claims.Any(claim =>
                    RoleClaims.Contains(claim.Type) && claim.Value.Split(' ').Contains(role)
                )
            );
}
