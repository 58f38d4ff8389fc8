namespace DroneDelivery.Database.Migrations;

/// <summary>The exception that is thrown when the tables don't match this version of the service.</summary>
internal sealed class MigrationException(string message, Exception? inner = null) : Exception(message, inner);
