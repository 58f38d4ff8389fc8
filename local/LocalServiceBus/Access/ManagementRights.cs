namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>What a request to <c>$management</c> needs. Rules of a subscription are the receiver's affair, as on Azure.</summary>
internal static class ManagementRights
{
    public static AccessRights Of(string? operation) => operation switch
    {
        "com.microsoft:schedule-message" or "com.microsoft:cancel-scheduled-message" => AccessRights.Send,
        _ => AccessRights.Listen,
    };
}
