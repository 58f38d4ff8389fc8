using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>Requires the Manage claim on the target of a forwarding entity, from the token of the request or from the
/// supplementary token that SDKs send.</summary>
internal static class ForwardingRights
{
    private const string Header = "ServiceBusSupplementaryAuthorization",
        DeadLetterHeader = "ServiceBusDlqSupplementaryAuthorization";

    public static void Require(HttpRequest request, QueueOptions options)
    {
        var rules = request.HttpContext.RequestServices.GetRequiredService<AccessRules>();
        foreach (var (target, option) in options.ForwardingTargets)
        {
            var path = EntityAddress.PathOf(target);
            var other = request
                .Headers[option == nameof(QueueOptions.ForwardTo) ? Header : DeadLetterHeader]
                .ToString();
            if (
                rules.AreRequired
                && !MayManage(request.Headers.Authorization.ToString(), path)
                && !MayManage(other, path)
            )
            {
                throw new UnauthorizedAccessException(
                    $"Unauthorized access. The claim Manage is required for '{Excerpt.Of(path)}', the target of {option}."
                );
            }
        }

        bool MayManage(string authorization, string path)
        {
            var why = "";
            return HttpAccess.GrantOf(rules, authorization, ref why) is { } grant
                && ExpandHost(grant, request).Covers(path, AccessRights.Manage);
        }
    }

    /// <summary>Treats a grant for the broker's host as one for the namespace. The SDK for JavaScript signs the host
    /// without a scheme; entity names can't contain a colon.</summary>
    private static Grant ExpandHost(Grant grant, HttpRequest request) =>
        grant.Path.Contains(':', StringComparison.Ordinal)
        && grant.Path.Equals(request.Host.Value, StringComparison.OrdinalIgnoreCase)
            ? grant with
            {
                Path = "",
            }
            : grant;
}
