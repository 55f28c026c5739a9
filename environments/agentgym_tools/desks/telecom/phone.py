"""The customer's phone: the tools in its owner's hands."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.desks.telecom.network import (
    FAST_MBPS,
    FAST_MODES,
    SLOW_MBPS,
    Situation,
    situation_of,
)
from agentgym_tools.worlds.toolbox import ToolFailure, UserToolbox, reads, writes


class PhoneTools(UserToolbox):
    """Look at one's phone, test it, and change its settings."""

    @reads
    def check_status_bar(self) -> Any:
        """Look at the top of the screen: airplane mode, SIM, registration with the network, VPN and battery saver."""
        situation = self._situation("status")
        phone = situation.phone
        switches = {name: _on(phone[name]) for name in ("vpn", "battery_saver", "wifi")}
        network = {"sim": situation.sim, "registration": "valid" if situation.is_registered else "lost"}
        service = "service" if situation.has_service else "no service"
        return {"airplane_mode": _on(phone["airplane"]), **network, "service": service, **switches}

    @reads
    def check_network_settings(self) -> Any:
        """Look at the settings of the mobile network: data, data roaming, data saver, network mode, and the country."""
        phone = self._situation("network").phone
        switches = {name: _on(phone[name]) for name in ("mobile_data", "data_saver", "hotspot")}
        return {"place": phone["place"], "data_roaming": _on(phone["roaming"]), **switches, "mode": phone["mode"]}

    @reads
    def check_access_point(self) -> Any:
        """Look at the access point (APN) that is set, the one in use, and the MMS center."""
        phone = self._situation("access").phone
        return {"apn": phone["apn"], "apn_in_use": phone["apn_in_use"], "mms_center": phone["mms_center"]}

    @reads
    def check_call_settings(self) -> Any:
        """Look at the settings of calls: do not disturb, forwarding, calls over Wi-Fi."""
        phone = self._situation("calls").phone
        switches = {name: _on(phone[name]) for name in ("do_not_disturb", "wifi_calling")}
        return {**switches, "forwarded_to": phone["forwarded_to"] or "nobody"}

    @reads
    def check_permissions(self, app: Literal["messages", "maps", "camera"]) -> Any:
        """Look at what an app is permitted.

        Args:
            app: The app.
        """
        self.show("permissions", app)
        rows = self.world.rows(
            "SELECT permission, granted FROM permissions WHERE customer_id = ? AND app = ? ORDER BY permission",
            self.customer,
            app,
        )
        return {row["permission"]: "granted" if row["granted"] else "denied" for row in rows}

    @reads
    def check_sim_card(self) -> Any:
        """Look at the SIM: whether it sits well and is unlocked."""
        return {"sim": self._situation("sim").sim}

    @reads
    def check_wifi(self) -> Any:
        """Look at Wi-Fi and Bluetooth: whether they are on, and how many Wi-Fi networks the phone knows."""
        phone = self._situation("wifi").phone
        return {"wifi": _on(phone["wifi"]), "known_networks": phone["wifi_known"], "bluetooth": _on(phone["bluetooth"])}

    @reads
    def check_battery(self) -> Any:
        """Look at the battery: its charge and whether the battery saver is on."""
        phone = self._situation("battery").phone
        return {"percent": phone["battery"], "battery_saver": _on(phone["battery_saver"])}

    @reads
    def check_model(self) -> Any:
        """Look up the phone's model, and how often it was restarted today."""
        phone = self._situation("model").phone
        return {"model": phone["model"], "restarts_today": phone["restarts"]}

    @reads
    def run_speed_test(self) -> Any:
        """Measure the speed of mobile data; 10 Mbit/s or more is fast."""
        situation = self._situation("speed")
        if not situation.has_data:
            return "No connection."
        return {"mbit_per_second": FAST_MBPS if situation.has_fast_data else SLOW_MBPS}

    @reads
    def make_test_call(self) -> Any:
        """Call the company's number that calls back, to see whether calls go out and come in."""
        return "The call went through both ways." if self._situation("test call").has_calls else "The call failed."

    @reads
    def send_test_mms(self) -> Any:
        """Send a picture to the company's test number; it takes mobile data, the MMS center and permissions."""
        return "The picture was sent." if self._situation("test MMS").has_mms else "The picture was not sent."

    @writes
    def toggle_airplane_mode(self) -> Any:
        """Switch airplane mode on if it is off, off if it is on; airplane mode cuts the phone from the network."""
        return self._toggle("airplane", "Airplane mode")

    @writes
    def toggle_mobile_data(self) -> Any:
        """Switch mobile data on if it is off, off if it is on."""
        return self._toggle("mobile_data", "Mobile data")

    @writes
    def toggle_data_roaming(self) -> Any:
        """Switch data roaming on if it is off, off if it is on; abroad there is no data without it."""
        return self._toggle("roaming", "Data roaming")

    @writes
    def toggle_data_saver(self) -> Any:
        """Switch the data saver on if it is off, off if it is on; it makes data slow."""
        return self._toggle("data_saver", "The data saver")

    @writes
    def toggle_battery_saver(self) -> Any:
        """Switch the battery saver on if it is off, off if it is on; it makes data slow."""
        return self._toggle("battery_saver", "The battery saver")

    @writes
    def toggle_wifi(self) -> Any:
        """Switch Wi-Fi on if it is off, off if it is on."""
        return self._toggle("wifi", "Wi-Fi")

    @writes
    def toggle_wifi_calling(self) -> Any:
        """Switch calls over Wi-Fi on if they are off, off if they are on."""
        return self._toggle("wifi_calling", "Calling over Wi-Fi")

    @writes
    def toggle_do_not_disturb(self) -> Any:
        """Switch do not disturb on if it is off, off if it is on; no call comes in with it."""
        return self._toggle("do_not_disturb", "Do not disturb")

    @writes
    def toggle_hotspot(self) -> Any:
        """Switch the hotspot on if it is off, off if it is on."""
        return self._toggle("hotspot", "The hotspot")

    @writes
    def toggle_bluetooth(self) -> Any:
        """Switch Bluetooth on if it is off, off if it is on."""
        return self._toggle("bluetooth", "Bluetooth")

    @writes
    def set_network_mode(self, mode: Literal["auto", "5g", "4g", "3g", "2g"]) -> Any:
        """Choose the networks that the phone may use; 2g and 3g are slow.

        Args:
            mode: The kind of network, or auto for the best one.
        """
        self._set("mode", mode)
        return f"The network mode is {mode}, which is {'fast' if mode in FAST_MODES else 'slow'}."

    @writes
    def set_apn(self, apn: str) -> Any:
        """Type in the name of the access point (APN) for data, which the plan says; it takes effect at a restart.

        Args:
            apn: Its name.
        """
        self._set("apn", _typed(apn))
        return "The APN is saved; restart the phone to use it."

    @writes
    def set_mms_center(self, address: str) -> Any:
        """Type in the address of the MMS center, which the plan says; picture messages need the right one.

        Args:
            address: The address.
        """
        self._set("mms_center", _typed(address))
        return "The MMS center is saved."

    @writes
    def reset_network_settings(self) -> Any:
        """Forget all networks: the known Wi-Fi networks, APN, MMS center and VPN, and go back to the mode auto."""
        phone = self._situation("").phone
        self.world.write(
            "UPDATE phones SET mode = 'auto', apn = '', apn_in_use = '', mms_center = '', vpn = 0, wifi_known = 0, "
            "registered = 0 WHERE customer_id = ?",
            phone["customer_id"],
        )
        return "All network settings are gone."

    @writes
    def reseat_sim(self) -> Any:
        """Take the SIM out and put it in again, so that a loose one sits well."""
        if self._situation("").phone["sim_seated"]:
            raise ToolFailure("The SIM sits well already; nothing has changed.")
        self._set("sim_seated", 1)
        return "The SIM sits well."

    @writes
    def enter_puk(self, puk: str) -> Any:
        """Unlock the SIM by the PUK, which the company knows.

        Args:
            puk: The PUK.
        """
        situation = self._situation("")
        if not situation.phone["sim_seated"]:
            raise ToolFailure("There is no SIM to unlock; it sits loose.")
        if not situation.phone["sim_locked"]:
            raise ToolFailure("The SIM is not locked.")
        if puk.strip() != situation.puk:
            raise ToolFailure("That PUK is wrong.")
        self._set("sim_locked", 0)
        return "The SIM is unlocked."

    @writes
    def reboot(self) -> Any:
        """Restart the phone: it registers with the network anew and uses the APN that is set."""
        situation = self._situation("")
        can_register = situation.line["state"] == "active" and situation.phone["sim_seated"]
        self.world.write(
            "UPDATE phones SET apn_in_use = apn, registered = ?, restarts = restarts + 1 WHERE customer_id = ?",
            int(bool(can_register)),
            self.customer,
        )
        return "The phone has restarted."

    @writes
    def connect_vpn(self) -> Any:
        """Connect the VPN; it makes data slow."""
        if self._situation("").phone["vpn"]:
            raise ToolFailure("The VPN is connected already.")
        self._set("vpn", 1)
        return "The VPN is connected."

    @writes
    def disconnect_vpn(self) -> Any:
        """Disconnect the VPN."""
        if not self._situation("").phone["vpn"]:
            raise ToolFailure("No VPN is connected.")
        self._set("vpn", 0)
        return "The VPN is disconnected."

    @writes
    def set_call_forwarding(self, number: str) -> Any:
        """Forward all calls to another number.

        Args:
            number: The number.
        """
        self._set("forwarded_to", _typed(number))
        return "Calls are forwarded."

    @writes
    def cancel_call_forwarding(self) -> Any:
        """Forward calls no longer; while they are forwarded, none comes in."""
        if not self._situation("").phone["forwarded_to"]:
            raise ToolFailure("Calls are not forwarded.")
        self._set("forwarded_to", "")
        return "Calls are no longer forwarded."

    @writes
    def grant_permission(
        self, app: Literal["messages", "maps", "camera"], permission: Literal["sms", "storage", "location"]
    ) -> Any:
        """Permit an app something; the app for messages needs sms and storage for picture messages.

        Args:
            app: The app.
            permission: What it may use.
        """
        return self._permit(app, permission, 1)

    @writes
    def revoke_permission(
        self, app: Literal["messages", "maps", "camera"], permission: Literal["sms", "storage", "location"]
    ) -> Any:
        """Permit an app something no longer.

        Args:
            app: The app.
            permission: What it may no longer use.
        """
        return self._permit(app, permission, 0)

    def _situation(self, aspect: str) -> Situation:
        """The phone as it is; an aspect counts as shown."""
        situation = situation_of(self.world, self.customer)
        if aspect:
            self.show(f"phone {aspect}", situation.phone["line_id"])
        return situation

    def _set(self, column: str, value: int | str) -> None:
        self.world.write(f"UPDATE phones SET {column} = ? WHERE customer_id = ?", value, self.customer)  # noqa: S608

    def _toggle(self, column: str, name: str) -> str:
        is_on = not self._situation("").phone[column]
        self._set(column, int(is_on))
        return f"{name} is {_on(is_on)} now."

    def _permit(self, app: str, permission: str, granted: int) -> str:
        key = (self.customer, app, permission)
        rows = self.world.write(
            "UPDATE permissions SET granted = ? WHERE customer_id = ? AND app = ? AND permission = ?", granted, *key
        )
        if not rows:
            raise ToolFailure(f"The app {app} knows no permission {permission!r}.")
        return f"The permission {permission} of {app} is {'granted' if granted else 'denied'} now."


def _on(is_on: object) -> str:
    return "on" if is_on else "off"


def _typed(text: str) -> str:
    if not text.strip() or len(text) > 60:
        raise ToolFailure("The field takes 1 to 60 letters.")
    return text.strip()
